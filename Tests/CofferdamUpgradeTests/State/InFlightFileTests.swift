#if SQLite
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

@Suite(.serialized) struct InFlightFileTests {
    private static let minute: Int64 = 60_000

    @Test func `calls are counted while they are under way`() async throws {
        try await UpgradeFolder.with { folder in
            let file = try InFlightFile(path: folder.path + "/calls")
            #expect(file.crash == nil)
            for isUnitsOnlyCall in [true, false] { file.began(CandidateCall(isUnitsOnlyCall: isUnitsOnlyCall)) }
            file.ended(CandidateCall(isUnitsOnlyCall: false))
            #expect(file.inFlight == 1)
        }
    }

    @Test func `after a crash the next process knows the units of the legacy side, too`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            let file = try InFlightFile(path: path)
            for isUnitsOnlyCall in [true, false, true] { file.beganLegacy(isUnitsOnlyCall: isUnitsOnlyCall) }
            file.endedLegacy(isUnitsOnlyCall: true)
            file.abandon()
            let next = try InFlightFile(path: path, now: 5)
            let end = try #require(next.crash)
            #expect((end.calls, end.units, end.legacyUnits) == (0, 0, 1))
            #expect(!next.hasCrashedTooOften, "that the legacy side's calls were under way aborts nothing")
            next.close()
            #expect(try InFlightFile(path: path).crash == nil)
        }
    }

    @Test(arguments: [false, true])
    func `after a crash the next process knows the calls in flight`(
        byTrap: Bool
    ) async throws {
        try await UpgradeFolder.with { folder in
            try await end(in: folder, calls: 3, byTrap: byTrap)
            let file = try InFlightFile(path: folder.path + "/calls", now: 5)
            let end = try #require(file.crash)
            #expect((end.calls, end.units, end.shadowUnits) == (3, 1, 0))
            #expect((end.epoch, end.noticed) == (7, 5))
            #expect(!file.hasCrashedTooOften)
            #expect(file.inFlight == 0)
        }
    }

    @Test func `a process that ends with nothing under way leaves nothing`() async throws {
        try await UpgradeFolder.with { folder in
            try await end(in: folder, calls: 0, byTrap: false)
            #expect(try InFlightFile(path: folder.path + "/calls").crash == nil)
        }
    }

    @Test(
        arguments: [
            (minutes: [0, 4, 9], isTooOften: true), ([0, 5, 10], true), ([0, 5, 11], false), ([0, 1], false),
            // The calendar was set back.
            ([100, 1, 2], true),
        ] as [(minutes: [Int64], isTooOften: Bool)]
    )
    func `three crashes within ten minutes are too many`(minutes: [Int64], isTooOften: Bool) async throws {
        try await UpgradeFolder.with { folder in
            for (place, minute) in minutes.enumerated() {
                try await end(in: folder, calls: 1, byTrap: false)
                let file = try InFlightFile(path: folder.path + "/calls", now: (minute + 1_000) * Self.minute)
                #expect(file.hasCrashedTooOften == (isTooOften && place == 2), "end \(place)")
            }
        }
    }

    // MARK: Leaving in order

    /// How a process exits in order.
    enum Leaving: String, CaseIterable {
        case exit, handledTermination, dropping, closing, exitWhileCalling
    }

    @Test(arguments: Leaving.allCases)
    func `a process that exits normally leaves no crash, whatever is in flight`(leaving: Leaving)
        async throws
    {
        try await UpgradeFolder.with { folder in
            for minute in 0..<4 as Range<Int64> {
                await #expect(processExitsWith: .exitCode(leaving == .closing ? 9 : 0)) {
                    [path = folder.path + "/calls" as String, name = leaving.rawValue as String] in
                    try Self.leave(try #require(Leaving(rawValue: name)), path)
                }
                let file = try InFlightFile(path: folder.path + "/calls", now: (1_000 + minute) * Self.minute)
                #expect(file.crash == nil)
                #expect(!file.hasCrashedTooOften)
                #expect(file.inFlight == 0)
            }
        }
    }

    private static func leave(_ leaving: Leaving, _ path: String) throws {
        switch leaving {
        case .exit:
            try begin(path, 3, 7)
            exit(0)
        case .handledTermination:
            try begin(path, 3, 7)
            signal(SIGTERM) { _ in exit(0) }
            raise(SIGTERM)
        case .dropping:
            let file = try InFlightFile(path: path)
            file.began(CandidateCall(.shadow, isUnitsOnlyCall: true))
            _ = consume file
            // The process continues without the file, to an exit that runs no handlers.
            _exit(0)
        case .closing:
            let file = try InFlightFile(path: path)
            file.began(CandidateCall(isUnitsOnlyCall: true))
            file.close()
            file.began(CandidateCall(isUnitsOnlyCall: true))
            _exit(9)
        case .exitWhileCalling:
            let file = try begin(path, 1, 7)
            for _ in 0..<2 {
                Thread {
                    while true {
                        for count in [1, 2] where count > 0 { file.began(CandidateCall(isUnitsOnlyCall: true)) }
                    }
                }.start()
            }
            while file.inFlight < 1_000 { sched_yield() }
            exit(0)
        }
    }

    @Test(arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL])
    func `a signal is a crash, also after a process that exited normally`(
        number: Int32
    ) async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            do {
                let file = try InFlightFile(path: path)
                file.began(CandidateCall(isUnitsOnlyCall: true))
            }
            await #expect(processExitsWith: .failure) { [path = path as String, number = number as Int32] in
                try Self.begin(path, 2, 7)
                kill(getpid(), number)
                while true { sched_yield() }
            }
            let file = try InFlightFile(path: path)
            #expect(file.crash?.calls == 2)
        }
    }

    @Test(arguments: [(resumes: false, calls: nil), (true, 3)] as [(resumes: Bool, calls: Int?)])
    func `a process that is killed while it is paused leaves no crash`(resumes: Bool, calls: Int?) async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, resumes = resumes as Bool] in
                let file = try Self.begin(path, 2, 7)
                file.pause()
                file.began(CandidateCall(isUnitsOnlyCall: false))
                if resumes { file.resume() }
                kill(getpid(), SIGKILL)
            }
            #expect(try InFlightFile(path: path).crash?.calls == calls)
            // The next process is not paused.
            try await end(in: folder, calls: 1, byTrap: false)
            #expect(try InFlightFile(path: path).crash?.calls == 1)
        }
    }

    @Test func `a closed file can be opened at once, and ignores later calls`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            var first: InFlightFile? = try InFlightFile(path: path)
            first?.began(CandidateCall(isUnitsOnlyCall: true))
            first?.close()
            let second = try InFlightFile(path: path)
            #expect(second.crash == nil)
            second.enter(epoch: 7)
            second.began(CandidateCall(isUnitsOnlyCall: true))
            // The calls end, and the object is freed, while the file belongs to another process.
            first?.ended(CandidateCall(isUnitsOnlyCall: true))
            first?.enter(epoch: 3)
            #expect(first?.inFlight == 0)
            first = nil
            second.abandon()
            let end = try #require(try InFlightFile(path: path).crash)
            #expect((end.calls, end.epoch) == (1, 7))
        }
    }

    @Test func `an abort signal is a crash`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
                try Self.begin(path, 2, 7)
                abort()
            }
            let file = try InFlightFile(path: path)
            #expect(file.crash?.calls == 2)
        }
    }

    @Test func `the exit of a forked process says nothing about its parent`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/calls"
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                try Self.begin(path, 2, 7)
                try Self.exitForked()
                kill(getpid(), SIGKILL)
            }
            let file = try InFlightFile(path: path)
            #expect(file.crash?.calls == 2)
        }
    }

    /// Forks a process, and returns when the child has called `exit`. Swift does not import `fork`.
    private static func exitForked() throws {
        typealias Fork = @convention(c) () -> pid_t
        let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "fork"))
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 { exit(0) }
        try #require(child > 0)
        var status: Int32 = 1
        while waitpid(child, &status, 0) < 0 { try #require(errno == EINTR) }
        try #require(status == 0)
    }

    /// An older file has no mark, and its content means what it meant then.
    @Test(arguments: [0, 2])
    func `a file of an older version tells what was in flight`(calls: Int64) async throws {
        try await UpgradeFolder.with { folder in
            var numbers = [Int64](repeating: 0, count: 512)
            (numbers[0], numbers[1], numbers[2]) = (0x436F_6649_0000_0001, calls, 7)
            let data = numbers.withUnsafeBytes { Data($0) }
            try data.write(to: URL(filePath: folder.path + "/calls"))
            let end = try InFlightFile(path: folder.path + "/calls").crash
            #expect(end?.calls == (calls > 0 ? Int(calls) : nil))
            #expect(try InFlightFile(path: folder.path + "/calls").crash == nil)
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, SmallDisk.reason), arguments: [false, true])
    func `a full disk is named, and ends no process`(hasHole: Bool) async throws {
        try await SmallDisk.with { disk in
            if hasHole {
                try disk.folder.write("", to: "calls")
                try #require(truncate(disk.path + "/calls", 4_096) == 0)
            }
            try disk.fill()
            await #expect(processExitsWith: .exitCode(3)) { [path = disk.path + "/calls" as String] in
                do {
                    _ = try InFlightFile(path: path)
                } catch let error as UpgradeStoreError where error.code == .unavailable {
                    exit(3)
                }
            }
            try disk.empty()
            #expect(try InFlightFile(path: disk.path + "/calls").crash == nil)
        }
    }

    @Test func `counts from a damaged file are limited to what is possible`() async throws {
        try await UpgradeFolder.with { folder in
            try await end(in: folder, calls: 2, byTrap: false)
            var bytes = try Data(contentsOf: URL(filePath: folder.path + "/calls"))
            // The calls of units, and those in the shadow.
            for place in [6, 7] { bytes[place * 8 + 7] = 0x7F }
            try bytes.write(to: URL(filePath: folder.path + "/calls"))
            let end = try #require(try InFlightFile(path: folder.path + "/calls").crash)
            #expect((end.calls, end.units, end.shadowUnits) == (2, 0, 2))
        }
    }

    @Test func `two processes cannot count in one file`() async throws {
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
                    #expect(!bench.observed.stages.suffix(1).contains(.candidateWithFallback))
                    return
                }
                #expect(status.stage == .candidateWithFallback)
                let reading = recorder.reading(afterSeconds: 1)
                #expect(reading.metrics[.candidateFailures] == FailureCounts(1, of: 1), "both are one unit's")
                bench.control.follow(StageState())
            }
        }
    }

    @Test func `a host of a fleet that dies three times stops itself, and not the fleet`() async throws {
        try await UpgradeFolder.with { folder in
            let bench = try EngineBench()
            try await bench.raise(to: .candidateWithFallback)
            let stored = try #require(try await bench.store.read(EngineBench.capability))
            for place in 0..<3 {
                try await end(in: folder, calls: 2, byTrap: false, epoch: stored.state.epoch)
                let file = try InFlightFile(path: folder.path + "/calls", now: Int64(place) * Self.minute + 1)
                bench.control.follow(StageState())
                let engine = bench.engine(recorder: EvidenceRecorder()) {
                    $0.calls = file
                    $0.isShared = true
                }
                let status = await engine.start()
                #expect(status.stage == (place < 2 ? .candidateWithFallback : .legacyOnly))
                #expect(status.notes.contains { $0.contains("three processes crashed") } == (place == 2))
            }
            #expect(try await bench.store.read(EngineBench.capability) == stored)
        }
    }

    /// A process that ends with that many calls in flight.
    private func end(in folder: UpgradeFolder, calls: Int, byTrap: Bool, epoch: Int = 7) async throws {
        let path = folder.path + "/calls"
        if byTrap {
            await #expect(processExitsWith: .failure) {
                [path = path as String, calls = calls as Int, epoch = epoch as Int] in
                try Self.begin(path, calls, epoch)
                // As a defect in the candidate does.
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

    @discardableResult
    private static func begin(_ path: String, _ calls: Int, _ epoch: Int) throws -> InFlightFile {
        let file = try InFlightFile(path: path)
        file.enter(epoch: epoch)
        let shadow = CandidateCall(.shadow, isUnitsOnlyCall: true)
        file.began(shadow)
        for call in 0..<calls { file.began(CandidateCall(isUnitsOnlyCall: call == 0)) }
        file.ended(shadow)
        // The object must outlive this scope: the process holds the file.
        return Unmanaged.passRetained(file).takeUnretainedValue()
    }
}
#endif
