#if SQLite
    import CofferdamUpgrade
    import Foundation
    import Testing

    @Suite(.serialized) struct InFlightFileTests {
        private static let minute: Int64 = 60_000

        @Test func `calls are counted while they are under way`() async throws {
            try await UpgradeFolder.with { folder in
                let file = try InFlightFile(path: folder.path + "/calls")
                #expect(file.uncleanEnd == nil)
                for isUnitsOnly in [true, false] { file.began(CandidateCall(isUnitsOnly: isUnitsOnly)) }
                file.ended(CandidateCall(isUnitsOnly: false))
                #expect(file.inFlight == 1)
            }
        }

        @Test(arguments: [false, true])
        func `after an end that nobody could tell of, the next process knows what was under way`(
            byTrap: Bool
        ) async throws {
            try await UpgradeFolder.with { folder in
                try await end(in: folder, calls: 3, byTrap: byTrap)
                let file = try InFlightFile(path: folder.path + "/calls", now: 5)
                let end = try #require(file.uncleanEnd)
                #expect((end.calls, end.units, end.shadowUnits) == (3, 1, 0))
                #expect((end.epoch, end.noticed) == (7, 5))
                #expect(!file.hasEndedTooOften)
                #expect(file.inFlight == 0)
            }
        }

        @Test func `a process that ends with nothing under way leaves nothing`() async throws {
            try await UpgradeFolder.with { folder in
                try await end(in: folder, calls: 0, byTrap: false)
                #expect(try InFlightFile(path: folder.path + "/calls").uncleanEnd == nil)
            }
        }

        @Test(
            arguments: [
                (minutes: [0, 4, 9], isTooOften: true), ([0, 5, 10], true), ([0, 5, 11], false), ([0, 1], false),
                // The calendar was set back.
                ([100, 1, 2], true),
            ] as [(minutes: [Int64], isTooOften: Bool)]
        )
        func `three such ends within ten minutes are too many`(minutes: [Int64], isTooOften: Bool) async throws {
            try await UpgradeFolder.with { folder in
                for (place, minute) in minutes.enumerated() {
                    try await end(in: folder, calls: 1, byTrap: false)
                    let file = try InFlightFile(path: folder.path + "/calls", now: (minute + 1_000) * Self.minute)
                    #expect(file.hasEndedTooOften == (isTooOften && place == 2), "end \(place)")
                }
            }
        }

        @Test func `what a damaged file holds is no more than can be`() async throws {
            try await UpgradeFolder.with { folder in
                try await end(in: folder, calls: 2, byTrap: false)
                var bytes = try Data(contentsOf: URL(filePath: folder.path + "/calls"))
                // Of the units, and of those in the shadow.
                for place in [6, 7] { bytes[place * 8 + 7] = 0x7F }
                try bytes.write(to: URL(filePath: folder.path + "/calls"))
                let end = try #require(try InFlightFile(path: folder.path + "/calls").uncleanEnd)
                #expect((end.calls, end.units, end.shadowUnits) == (2, 0, 2))
            }
        }

        @Test func `two processes do not count in one file`() async throws {
            try await UpgradeFolder.with { folder in
                let file = try InFlightFile(path: folder.path + "/calls")
                let error = #expect(throws: UpgradeStoreError.self) { try InFlightFile(path: folder.path + "/calls") }
                #expect(error?.code == .unavailable)
                #expect(file.inFlight == 0)
            }
        }

        @Test(arguments: ["short", String(repeating: "x", count: 4096)])
        func `another's file is left alone`(text: String) async throws {
            try await UpgradeFolder.with { folder in
                try folder.write(text, to: "calls")
                let error = #expect(throws: UpgradeStoreError.self) { try InFlightFile(path: folder.path + "/calls") }
                #expect(error?.code == .unreadable)
                #expect(try folder.text("calls") == text)
            }
        }

        @Test func `three processes that died of the candidate abort the upgrade before it is opened`() async throws {
            try await UpgradeFolder.with { folder in
                let bench = try EngineBench()
                try await bench.raise(to: .candidateWithFallback)
                let epoch = try #require(try await bench.store.read(EngineBench.capability)).state.epoch
                for place in 0..<3 {
                    try await end(in: folder, calls: 2, byTrap: false, epoch: epoch)
                    let file = try InFlightFile(path: folder.path + "/calls", now: Int64(place) * Self.minute + 1)
                    let recorder = EvidenceRecorder()
                    let status = await bench.engine(recorder: recorder) { $0.calls = file }.start()
                    guard place < 2 else {
                        #expect(status.stage == .legacyOnly)
                        #expect(status.stored?.waiting == .rolledBack)
                        #expect(!bench.heard.stages.suffix(1).contains(.candidateWithFallback))
                        return
                    }
                    #expect(status.stage == .candidateWithFallback)
                    let reading = recorder.reading(afterSeconds: 1)
                    #expect(reading.metrics[.candidateFailures] == FailureCounts(1, of: 1), "both are one unit's")
                    bench.control.follow(StageState())
                }
            }
        }

        /// A process that ends with so many calls under way.
        private func end(in folder: UpgradeFolder, calls: Int, byTrap: Bool, epoch: Int = 7) async throws {
            let path = folder.path + "/calls"
            if byTrap {
                await #expect(processExitsWith: .failure) {
                    [path = path as String, calls = calls as Int, epoch = epoch as Int] in
                    try Self.begin(path, calls, epoch)
                    // What a defect in the candidate does.
                    preconditionFailure("a test")
                }
            } else {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = path as String, calls = calls as Int, epoch = epoch as Int] in
                    try Self.begin(path, calls, epoch)
                    kill(getpid(), SIGKILL)
                }
            }
        }

        private static func begin(_ path: String, _ calls: Int, _ epoch: Int) throws {
            let file = try InFlightFile(path: path)
            file.enter(epoch: epoch)
            let shadow = CandidateCall(isShadow: true, isUnitsOnly: true)
            file.began(shadow)
            for call in 0..<calls { file.began(CandidateCall(isUnitsOnly: call == 0)) }
            file.ended(shadow)
            // It must not end with this scope: the process has it.
            _ = Unmanaged.passRetained(file)
        }
    }
#endif
