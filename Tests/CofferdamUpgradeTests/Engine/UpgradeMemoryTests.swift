#if SQLite
@testable import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

/// What an instance of a fleet remembers if its store cannot be reached when the instance restarts.
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
            #expect(!status.canPromote)
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

    @Test(arguments: [true, false])
    func `an abort that has not reached the store belongs to its attempt`(isCrash: Bool) async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .canary(share: 500))
            var engine = engine(folder)
            await engine.start()
            bench.store.set(.unavailable)
            if isCrash {
                func calls(_ place: Int64) throws -> InFlightFile {
                    let calls = try InFlightFile(path: folder.path + "/calls", now: place * 60_000 + 1)
                    calls.enter(epoch: bench.control.state.epoch)
                    return calls
                }
                for place in 0..<3 {
                    let calls = try calls(Int64(place))
                    calls.began(CandidateCall(isUnitsOnlyCall: true))
                    calls.abandon()
                }
                let last = try calls(3)
                engine = bench.engine {
                    $0.memory = FileUpgradeMemory(directory: folder.path)
                    $0.calls = last
                }
                await engine.start()
            } else {
                try await engine.abort(by: "amara", reason: "users complain")
            }
            #expect(bench.control.state.stage == .legacyOnly)
            #expect(engine.status.pendingRequests.count == 1)
            // Weeks later, the upgrade has gone back and begun again.
            try await bench.change(.abort)
            try await bench.raise(to: .candidateOnly)
            bench.store.set(nil)
            let status = await engine.refresh()
            #expect(status.stage == .candidateOnly)
            #expect(status.pendingRequests == [])
            #expect(status.notes.contains { $0.contains("was meant for attempt 1; it is now attempt 2") })
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
            #expect(second.status.pendingRequests.map(\.by) == ["amara"])
            bench.store.set(nil)
            #expect(await second.refresh().pendingRequests == [])
            let line = try #require(try await bench.store.history(of: EngineBench.capability, last: 1).first)
            #expect(line.request.reason == "users complain")
            #expect(await engine(folder).start().pendingRequests == [], "it is forgotten once it is done")
        }
    }

    @Test func `an abort in the memory of an earlier version reaches the store`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            let first = engine(folder)
            await first.start()
            bench.store.set(.unavailable)
            try await first.abort(by: "amara", reason: "users complain")
            let path = CapabilityFolder(of: EngineBench.capability, in: folder.path).path + "/seen.json"
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(written.contains("\"pendingRequests\""))
            try written.replacing("\"pendingRequests\"", with: "\"orders\"")
                .write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await engine(folder).start().pendingRequests.map(\.by) == ["amara"])
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

    @Test func `a store that was set back while no process ran is noticed`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .shadow(sample: .all))
            let old = try await bench.store.read(EngineBench.capability)
            try await bench.raise(to: .candidateOnly)
            await engine(folder).start()
            bench.store.set(.answers(old))
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
            #expect(!status.canPromote)
            try folder.remove("catalogue/kill.json")
            #expect(await engine.refresh().stage == .candidateOnly)
        }
    }

    @Test func `a machine that is frozen goes where the kill switch sends all units`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            let engine = engine(folder)
            await engine.start()
            try folder.write(#"{"target": "freeze", "by": "amara"}"#, to: "catalogue/kill.json")
            #expect(await engine.refresh().kill?.target == .freeze)
            try await bench.change(.kill(.legacy))
            #expect(await engine.refresh().stage == .legacyOnly)
        }
    }

    @Test func `what was remembered of another store is ignored`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            for (store, isRemembered) in [("here", true), ("there", false)] {
                let upgrade = RememberedUpgrade(
                    try #require(try await bench.store.read(EngineBench.capability)),
                    seen: 5,
                    pendingRequests: []
                )
                try await FileUpgradeMemory(directory: folder.path, of: "here").remember(upgrade)
                let memory = FileUpgradeMemory(directory: folder.path, of: store)
                #expect(try await memory.remembered(of: EngineBench.capability) == (isRemembered ? upgrade : nil))
            }
        }
    }

    @Test func `concurrent writers all finish, and the newest state stays`() async throws {
        try await UpgradeFolder.with { folder in
            try await withThrowingTaskGroup { group in
                // Each writer has its own queue, as in another process.
                for writer in 0..<8 {
                    group.addTask {
                        let memory = FileUpgradeMemory(directory: folder.path)
                        for number in 0..<25 {
                            let stored = Requests.stored(at: .candidateOnly) {
                                $0.revision = Int64(number * 8 + writer)
                            }
                            try await memory.remember(RememberedUpgrade(stored, seen: 1, pendingRequests: []))
                            _ = try #require(try await memory.remembered(of: stored.state.capability))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let memory = FileUpgradeMemory(directory: folder.path)
            #expect(try await memory.remembered(of: "catalogue")?.revision == 199)
        }
    }

    @Test func `a process leaves another's request in place until that process removes it`() async throws {
        try await UpgradeFolder.with { folder in
            let memories = (0..<3).map { _ in FileUpgradeMemory(directory: folder.path) }
            func remember(_ ids: [String], _ number: Int, revision: Int64 = 7) async throws {
                let stored = Requests.stored(at: .candidateOnly) { $0.revision = revision }
                let requests = ids.map { Requests.request(.abort, id: $0) }
                try await memories[number].remember(RememberedUpgrade(stored, seen: 1, pendingRequests: requests))
            }
            func pending(_ number: Int) async throws -> [String]? {
                try await memories[number].remembered(of: "catalogue")?.pendingRequests.map(\.id)
            }
            try await remember(["one"], 0)
            try await remember([], 1, revision: 8)
            try await remember(["two"], 1, revision: 8)
            #expect(try await pending(2) == ["one", "two"])
            try await remember([], 0)
            #expect(try await pending(2) == ["two"], "who has given it lets it go")
            #expect(
                try await memories[2].remembered(of: "catalogue")?.revision == 8,
                "and knows less than the other"
            )
            try await remember([], 2)
            #expect(try await pending(0) == [], "as does who has read it")
        }
    }

    @Test func `a state that was seen again is as recent as the last look`() async throws {
        try await UpgradeFolder.with { folder in
            let stored = Requests.stored(at: .candidateOnly)
            for seen in [5, 9, 7] as [Int64] {
                let memory = FileUpgradeMemory(directory: folder.path)
                try await memory.remember(RememberedUpgrade(stored, seen: seen, pendingRequests: []))
            }
            #expect(try await FileUpgradeMemory(directory: folder.path).remembered(of: "catalogue")?.seen == 9)
        }
    }

    @Test func `what cannot be read is reported, and blocks nothing else`() async throws {
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
