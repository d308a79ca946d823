#if SQLite
import Foundation
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// An engine, the candidate's calls in flight, and the counts: each in its epoch.
@Suite struct EngineCallsTests {
    private let bench: EngineBench
    init() throws { bench = try EngineBench() }

    /// Returns the crash that the next process would find if this one ended now with that many calls in flight.
    private func end(_ calls: Int, in folder: UpgradeFolder, epoch: Int? = nil) throws -> InFlightFile.Crash? {
        let path = folder.path + "/calls \(UUID().uuidString)"
        try? FileManager.default.copyItem(atPath: folder.path + "/calls", toPath: path)
        var file: InFlightFile? = try InFlightFile(path: path)
        if let epoch { file?.enter(epoch: epoch) }
        for _ in 0..<calls { file?.began(CandidateCall(isUnitsOnlyCall: true)) }
        file?.abandon()
        file = nil
        return try InFlightFile(path: path, now: 7).crash
    }

    @Test func `the file of calls in flight gets the epoch even if the routes already follow the stored state`()
        async throws
    {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateWithFallback)
            let stored = try #require(try await bench.store.read(EngineBench.capability))
            bench.control.follow(stored.routing)
            let file = try InFlightFile(path: folder.path + "/calls")
            await bench.engine { $0.calls = file }.start()
            let end = try #require(try end(2, in: folder))
            #expect(end.epoch == stored.state.epoch)
            #expect(bench.observed.stages == [], "nothing else has changed")
        }
    }

    @Test
    func `a store that cannot be read at first loses neither what was counted nor the calls that never ended`()
        async throws
    {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateWithFallback)
            let stored = try #require(try await bench.store.read(EngineBench.capability)).state
            let epoch = stored.epoch
            let log = try folder.store().log
            let before = EvidenceRecorder()
            try await before.resume(from: log, at: stored)
            before.recordCrash(
                InFlightFile.Crash(
                    calls: 5,
                    units: 5,
                    shadowUnits: 0,
                    namedCalls: 0,
                    epoch: epoch,
                    noticed: 1
                ),
                id: "before"
            )
            try await before.merge(into: log, of: EngineBench.capability)

            let path = folder.path + "/calls of the one before"
            var file: InFlightFile? = try InFlightFile(path: path)
            file?.enter(epoch: epoch)
            file?.began(CandidateCall(isUnitsOnlyCall: true))
            file?.abandon()
            file = nil
            let recorder = EvidenceRecorder()
            let calls = try InFlightFile(path: path)
            let other = try #require(try end(2, in: folder, epoch: epoch))
            let engine = bench.engine(recorder: recorder) {
                $0.ledger = log
                $0.calls = calls
                $0.otherCrashes = [other]
            }
            bench.store.set(.unavailable)
            await engine.start()
            #expect(recorder.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(0, of: 0))
            bench.store.set(nil)
            for _ in 0..<2 {
                await engine.refresh()
                let failures = recorder.reading(afterSeconds: 1).metrics[.candidateFailures]
                #expect(failures == FailureCounts(8, of: 8))
                #expect(bench.control.state.stage == .candidateWithFallback)
            }
        }
    }

    @Test func `following first, and counting later, begins with what is remembered`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            let memory = FileUpgradeMemory(directory: folder.path + "/memory")
            await bench.engine { $0.memory = memory }.start()
            bench.control.follow(StageState())
            bench.store.set(.unavailable)
            let engine = bench.engine { $0.memory = memory }
            #expect(await engine.startFollowing().stage == .candidateOnly)
            try await engine.abort(by: "amara", reason: "a test")
            #expect(await engine.start().pendingRequests.count == 1, "what was ordered meanwhile stays")
        }
    }
}
#endif
