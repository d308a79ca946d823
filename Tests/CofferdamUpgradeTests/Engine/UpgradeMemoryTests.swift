#if SQLite
    import Foundation
    import Testing

    @testable import CofferdamUpgrade

    /// What an instance of a fleet remembers where its store is out of reach when it starts again.
    @Suite struct UpgradeMemoryTests {
        private let bench: EngineBench
        init() throws { bench = try EngineBench() }

        private func engine(_ folder: UpgradeFolder) -> UpgradeEngine {
            bench.engine { $0.memory = FileUpgradeMemory(directory: folder.path) }
        }

        @Test(
            arguments: [
                (Stage.canary(share: 500), 1_800, Stage.canary(share: 500)), (.canary(share: 500), 3_700, .legacyOnly),
                (.candidateOnly, 86_400, .candidateOnly),
            ]
        )
        func `what was seen before holds after a restart, as long as it would have without one`(
            stage: Stage,
            seconds: Int,
            follows: Stage
        ) async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: stage)
                await engine(folder).start()
                bench.control.follow(StageState())
                bench.store.set(.unavailable)
                bench.pass(.seconds(seconds))
                let status = await engine(folder).start()
                #expect(status.stage == follows)
                #expect(status.ageSeconds == seconds)
                #expect(!status.mayRise)
            }
        }

        @Test func `a calendar that was set back makes nothing younger than now`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .canary(share: 500))
                await engine(folder).start()
                bench.store.set(.unavailable)
                bench.setBack(.seconds(7_200))
                #expect(await engine(folder).start().ageSeconds == 0)
            }
        }

        @Test func `an abort that has not reached the store outlives the process, and reaches it`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .candidateOnly)
                let first = engine(folder)
                await first.start()
                bench.store.set(.unavailable)
                try await first.abort(by: "amara", reason: "users complain")
                let second = engine(folder)
                #expect(await second.start().stage == .legacyOnly)
                #expect(second.status.orders.map(\.by) == ["amara"])
                bench.store.set(nil)
                #expect(await second.refresh().orders == [])
                let line = try #require(try await bench.store.history(of: EngineBench.capability, last: 1).first)
                #expect(line.request.reason == "users complain")
                #expect(await engine(folder).start().orders == [], "it is forgotten once it is done")
            }
        }

        @Test func `an abort before anything was ever read outlives the process, too`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .candidateOnly)
                bench.store.set(.unavailable)
                let first = engine(folder)
                await first.start()
                try await first.abort(by: "amara", reason: "users complain")
                bench.store.set(nil)
                let status = await engine(folder).start()
                #expect(status.stage == .legacyOnly)
                #expect(status.stored?.attempt == 2)
            }
        }

        @Test func `a store that was set back while nobody looked is noticed`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .shadow(sample: .all))
                let old = try await bench.store.read(EngineBench.capability)
                try await bench.raise(to: .candidateOnly)
                await engine(folder).start()
                bench.store.set(.tells(old))
                let status = await engine(folder).start()
                #expect(status.isSetBack)
                #expect(status.stage == .candidateOnly)
            }
        }

        @Test func `a kill switch of this machine holds without any server, and goes with its file`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .candidateOnly)
                let engine = engine(folder)
                await engine.start()
                bench.store.set(.unavailable)
                try folder.write(#"{"target": "legacy", "by": "amara"}"#, to: "catalogue/kill.json")
                let status = await engine.refresh()
                #expect(status.stage == .legacyOnly)
                #expect(status.kill?.by == "amara")
                #expect(!status.mayRise)
                try folder.remove("catalogue/kill.json")
                #expect(await engine.refresh().stage == .candidateOnly)
            }
        }

        @Test func `what was remembered of another store says nothing`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .candidateOnly)
                for (store, isRemembered) in [("here", true), ("there", false)] {
                    let upgrade = RememberedUpgrade(
                        try #require(try await bench.store.read(EngineBench.capability)),
                        seen: 5,
                        orders: []
                    )
                    try await FileUpgradeMemory(directory: folder.path, of: "here").remember(upgrade)
                    let memory = FileUpgradeMemory(directory: folder.path, of: store)
                    #expect(try await memory.remembered(of: EngineBench.capability) == (isRemembered ? upgrade : nil))
                }
            }
        }

        @Test func `several that remember at a time leave a whole file`() async throws {
            try await UpgradeFolder.with { folder in
                try await bench.raise(to: .candidateOnly)
                let stored = try #require(try await bench.store.read(EngineBench.capability))
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            let memory = FileUpgradeMemory(directory: folder.path)
                            for time in 0..<10 {
                                let order = Requests.request(.abort, id: String(repeating: "x", count: number * 50))
                                let upgrade = RememberedUpgrade(stored, seen: Int64(time), orders: [order])
                                try await memory.remember(upgrade)
                                #expect(try await memory.remembered(of: EngineBench.capability)?.state == stored.state)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        @Test func `what cannot be read is shown, and hinders nothing else`() async throws {
            try await UpgradeFolder.with { folder in
                try folder.write("{", to: "catalogue/seen.json")
                try folder.write("{", to: "catalogue/kill.json")
                try await bench.raise(to: .candidateOnly)
                let status = await engine(folder).start()
                #expect(status.stage == .candidateOnly)
                for file in ["seen.json", "kill.json"] {
                    #expect(status.notes.contains { $0.contains(file) })
                    #expect(try folder.text("catalogue/\(file)") == "{", "it is not overwritten")
                }
            }
        }
    }
#endif
