import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadablePersistenceTests {
    private final class Disk: Sendable {
        let saved = Log<Int>()
        let reported = Log<TestError?>()
        let gate = TestGate()

        func persistence(_ record: Result<(Int, Duration)?, any Error>, isSlow: Bool = false) -> LoadablePersistence<
            Int
        > {
            LoadablePersistence {
                try record.get().map { LoadablePersistence.Record($0.0, age: $0.1) }
            } save: { contents in
                if isSlow { await self.gate.pass() }
                if contents < 0 { throw TestError("disk full") }
                self.saved.add(contents)
            } report: {
                self.reported.add($0 as? TestError)
            }
        }
    }

    private func loadable(
        _ disk: Disk,
        _ record: Result<(Int, Duration)?, any Error>,
        isSlow: Bool = false,
        clock: TestClock = TestClock(),
        _ loads: Log<Int> = Log()
    ) -> Loadable<Int> {
        Loadable(
            freshness: .for(.seconds(60)),
            persistence: disk.persistence(record, isSlow: isSlow),
            clock: clock
        ) {
            loads.add(1)
            return 100
        }
    }

    @Test func `fresh restored contents are not loaded and keep their age`() async throws {
        let (disk, loads, clock) = (Disk(), Log<Int>(), TestClock())
        let loadable = loadable(disk, .success((7, .seconds(50))), clock: clock, loads)
        #expect(try await loadable.fetchIfNeeded() == 7)
        #expect(loads.entries.isEmpty)
        #expect(loadable.age == .seconds(50))
        clock.advance(by: .seconds(10))
        #expect(try await loadable.fetchIfNeeded() == 100)
        await until { disk.saved.entries == [100] }
    }

    @Test func `stale restored contents are shown during the run`() async throws {
        for isForced in [false, true] {
            let disk = Disk()
            let loadable = loadable(disk, .success((7, .seconds(isForced ? 1 : 61))))
            let seen = Log<Int?>()
            let token = loadable.observe { seen.add($0.contents) }
            #expect(try await (isForced ? loadable.fetch() : loadable.fetchIfNeeded()) == 100)
            await until { seen.entries.last == 100 }
            #expect(seen.entries.contains(7))
            token.cancel()
        }
    }

    @Test func `a failing disk is reported, and fails no run`() async throws {
        let disk = Disk()
        let loadable = loadable(disk, .failure(TestError("unreadable")))
        #expect(try await loadable.fetch() == 100)
        loadable.set(-1)
        await until { disk.reported.entries == [TestError("unreadable"), TestError("disk full")] }
        loadable.set(3)
        await until { disk.saved.entries.last == 3 }
    }

    @Test func `a slow disk skips replaced contents and gets the last`() async {
        let disk = Disk()
        let loadable = loadable(disk, .success(nil), isSlow: true)
        loadable.set(1)
        await until { disk.gate.arrivals == 1 }
        for value in 2...50 { loadable.set(value) }
        disk.gate.open()
        await until { disk.saved.entries.last == 50 }
        #expect(disk.saved.entries == [1, 50])
    }

    @Test(arguments: [false, true])
    func `what is saved is restored below a pending change`(isStale: Bool) async {
        let (disk, loads) = (Disk(), Log<Int>())
        let loadable = Loadable<Int>(
            freshness: .for(.seconds(60)),
            persistence: disk.persistence(.success((7, .seconds(isStale ? 61 : 1)))),
            clock: TestClock()
        ) {
            loads.add(1)
            throw TestError("offline")
        }
        let write = loadable.writeOptimistically { ($0 ?? 0) + 100 }
        #expect(loadable.snapshot.contents == 100)
        #expect(await (try? loadable.fetchIfNeeded()) == (isStale ? nil : 107))
        #expect(loads.entries.count == (isStale ? 1 : 0))
        #expect(loadable.snapshot.contents == 107)
        write.rollBack()
        #expect(loadable.snapshot.contents == 7)
    }

    private func failing(_ disk: Disk, isSlow: Bool = false) -> Loadable<Int> {
        let persistence = disk.persistence(.success(nil), isSlow: isSlow)
        return Loadable(freshness: .always, persistence: persistence, clock: TestClock()) { throw TestError("lost") }
    }

    @Test func `a slow disk gets the last contents even if a run has failed since`() async {
        let disk = Disk()
        let loadable = failing(disk, isSlow: true)
        loadable.set(1)
        await until { disk.gate.arrivals == 1 }
        loadable.set(2)
        await loadable.sync()
        #expect(loadable.snapshot.state == .failed)
        disk.gate.open()
        await until { disk.saved.entries.last == 2 }
    }

    @Test func `a pending write is not saved`() async {
        let disk = Disk()
        let loadable = failing(disk)
        loadable.set(1)
        await until { disk.saved.entries == [1] }
        let write = loadable.writeOptimistically { _ in 2 }
        loadable.set(3)
        await until { disk.saved.entries == [1, 3] }
        #expect(loadable.snapshot.contents == 2)
        loadable.confirm(write) { ($0 ?? 0) + 10 }
        await until { disk.saved.entries == [1, 3, 13] }
    }

    @Test func `contents that were saved while the clock was ahead are shown, and load at once`() async throws {
        let disk = Disk()
        let loadable = Loadable(
            freshness: .always,
            persistence: disk.persistence(.success((7, .seconds(-1)))),
            clock: TestClock(),
            load: { 8 }
        )
        #expect(try await loadable.fetchIfNeeded() == 8)
    }

    @Test func `restored contents are not saved again`() async throws {
        let disk = Disk()
        let loadable = Loadable(
            freshness: .always,
            persistence: disk.persistence(.success((7, .seconds(1)))),
            clock: TestClock(),
            executor: InlineExecutor()
        ) { 100 }
        #expect(try await loadable.fetch() == 100)
        await until { disk.saved.entries.last == 100 }
        #expect(disk.saved.entries == [100])
    }
}

/// Runs jobs inline, so that a task waiting for a change runs before the task that made it continues.
private final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
