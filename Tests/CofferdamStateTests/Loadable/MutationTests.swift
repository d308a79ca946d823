import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct MutationTests {
    private func mutation(
        of loadable: Loadable<Int>,
        by double: LoadableDouble<Int>,
        scope: MutationScope? = nil,
        finished: Log<Bool> = Log()
    ) -> Mutation<Int, Int> {
        Mutation(scope: scope) { input in
            [loadable.writeOptimistically { _ in input }]
        } finish: { _, result in
            finished.add((try? result.get()) != nil)
        } perform: { _ in
            try await double.loadable.fetch()
        }
    }

    @Test func `an optimistic write shows at once and is rolled back after a failure`() async throws {
        for fails in [false, true] {
            let loadable = Loadable.just(1)
            let (double, finished) = (LoadableDouble<Int>(), Log<Bool>())
            let mutation = mutation(of: loadable, by: double, finished: finished)
            let task = Task { try await mutation.run(2) }
            await until { double.waitingRunCount == 1 }
            #expect(loadable.snapshot.contents == 2)
            #expect(loadable.snapshot.isLocal)
            if fails {
                double.fail(TestError("refused"))
                await #expect(throws: TestError("refused")) { try await task.value }
            } else {
                double.succeed(20)
                #expect(try await task.value == 20)
            }
            #expect(loadable.snapshot.contents == (fails ? 1 : 2))
            #expect(loadable.snapshot.isLocal == !fails)
            #expect(finished.entries == [!fails])
        }
    }

    @Test func `a cancelled mutation rolls its writes back`() async {
        let (loadable, double) = (Loadable.just(1), LoadableDouble<Int>())
        let mutation = mutation(of: loadable, by: double)
        let task = Task { try await mutation.run(2) }
        await until { double.waitingRunCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(loadable.snapshot.contents == 1)
    }

    @Test func `a write stays on top of anything newer, until it is rolled back`() {
        for isNewer in [false, true] {
            let loadable = Loadable.just(1)
            let write = loadable.writeOptimistically { ($0 ?? 0) + 1 }
            if isNewer { loadable.set(8) }
            #expect(loadable.snapshot.contents == (isNewer ? 9 : 2))
            #expect(write.rollBack())
            #expect(loadable.snapshot.contents == (isNewer ? 8 : 1))
            #expect(!write.rollBack())
            #expect(!write.confirm())
        }
    }

    @Test func `state, error and age are those of the contents below`() {
        let clock = TestClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(10)), clock: clock)
        double.succeed(1)
        clock.advance(by: .seconds(4))
        double.fail(TestError("before"))
        let write = double.loadable.writeOptimistically { _ in 2 }
        for contents in [2, 1] {
            let snapshot = double.loadable.snapshot
            #expect(snapshot.state == .failed)
            #expect(snapshot.error as? TestError == TestError("before"))
            #expect(snapshot.contents == contents)
            #expect(snapshot.age == .seconds(4))
            #expect(snapshot.isLocal == (contents == 2))
            write.rollBack()
        }
    }

    @Test(arguments: [false, true])
    func `a current run commits after the rollback of a write in between`(isAfter: Bool) async {
        let double = LoadableDouble<Int>()
        let before = isAfter ? double.loadable.writeOptimistically { _ in 1 } : nil
        double.loadable.invalidate()
        let token = double.loadable.activate()
        await until { double.waitingRunCount == 1 }
        let write = before ?? double.loadable.writeOptimistically { _ in 1 }
        #expect(write.rollBack())
        #expect(double.loadable.snapshot.contents == nil)
        double.succeed(7)
        await until { double.loadable.snapshot.contents == 7 }
        #expect(double.runCount == 1)
        token.cancel()
    }

    @Test func `a poll that answers while a write is pending shows the write`() async {
        let double = LoadableDouble<Int>()
        let token = double.loadable.activate()
        await until { double.waitingRunCount == 1 }
        let write = double.loadable.writeOptimistically { ($0 ?? 0) + 100 }
        double.succeed(7)
        await until { double.loadable.snapshot.state == .succeeded }
        #expect(double.loadable.snapshot.contents == 107)
        write.rollBack()
        #expect(double.loadable.snapshot.contents == 7)
        #expect(!double.loadable.needsSync)
        token.cancel()
    }

    @Test func `a confirmed write stays until an answer whose load began later`() async throws {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let early = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let write = double.loadable.writeOptimistically { ($0 ?? 0) | 8 }
        #expect(write.confirm())
        double.succeed(2)
        #expect(try await early.value == 10, "that load began before the confirmation")
        #expect(double.loadable.snapshot.contents == 10)
        #expect(double.loadable.needsSync)
        #expect(!write.rollBack())
        let late = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.succeed(4)
        #expect(try await late.value == 4)
        #expect(double.loadable.snapshot.contents == 4)
        #expect(!double.loadable.snapshot.isLocal)
    }

    @Test(arguments: [false, true])
    func `what the server made of a write takes its place at once`(isLoading: Bool) async throws {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let task = isLoading ? Task { try await double.loadable.fetch() } : nil
        if isLoading { await until { double.waitingRunCount == 1 } }
        let write = double.loadable.writeOptimistically { ($0 ?? 0) | 8 }
        #expect(!Loadable.just(1).confirm(write) { _ in 0 })
        #expect(double.loadable.confirm(write) { ($0 ?? 0) | 16 })
        #expect(!double.loadable.confirm(write) { _ in 0 })
        #expect(double.loadable.snapshot.contents == 17)
        #expect(!double.loadable.snapshot.isInvalidated)
        if let task {
            double.succeed(2)
            #expect(try await task.value == 18)
        }
        #expect(double.loadable.snapshot.contents == (isLoading ? 18 : 17))
        #expect(!double.loadable.snapshot.isLocal)
    }

    @Test(arguments: ["fails", "is cancelled", "is overtaken"])
    func `what the server made of a write is below an answer whose load began later`(end: String) async throws {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let poll = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let write = double.loadable.writeOptimistically { ($0 ?? 0) | 8 }
        #expect(double.loadable.confirm(write) { ($0 ?? 0) | 16 })
        switch end {
        case "fails": double.fail(TestError("lost"))
        case "is cancelled": double.loadable.cancel()
        default:
            double.loadable.set(33)
            double.succeed(2)
        }
        _ = try? await poll.value
        #expect(double.loadable.snapshot.contents == (end == "is overtaken" ? 49 : 17))
        #expect(double.loadable.snapshot.settledContents == double.loadable.snapshot.contents, "it is saved")
        let next = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.succeed(4)
        #expect(try await next.value == 4)
        #expect(double.loadable.snapshot.contents == 4)
    }

    @Test func `a confirmation makes a loadable that is kept in sync load again`() async {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let token = double.loadable.activate()
        let write = double.loadable.writeOptimistically { _ in 2 }
        write.confirm()
        await until { double.waitingRunCount == 1 }
        double.succeed(3)
        await until { double.loadable.snapshot.contents == 3 }
        token.cancel()
    }

    @Test func `a run that another write has overtaken does not commit when a later write is rolled back`() async throws
    {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.loadable.set(1)
        double.loadable.writeOptimistically { _ in 2 }.rollBack()
        double.succeed(7)
        #expect(try await task.value == 7)
        #expect(double.loadable.snapshot.contents == 1)
    }

    @Test(arguments: [[0, 1], [0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1]])
    func `writes are rolled back in any order, and the others stay`(order: [Int]) async throws {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let writes = order.indices.map { index in double.loadable.writeOptimistically { ($0 ?? 0) | 1 << index } }
        var remaining = Set(order.indices)
        for index in order {
            #expect(writes[index].rollBack())
            remaining.remove(index)
            let bits = remaining.reduce(0) { $0 | 1 << $1 }
            #expect(double.loadable.snapshot.contents == (remaining.isEmpty ? nil : bits))
        }
        double.succeed(64)
        #expect(try await task.value == 64)
        #expect(double.loadable.snapshot.contents == 64)
    }

    @Test func `a correction is made below the writes`() {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let write = double.loadable.writeOptimistically { ($0 ?? 0) + 100 }
        double.loadable.correct { $0 + 10 }
        #expect(double.loadable.snapshot.contents == 111)
        #expect(write.rollBack())
        #expect(double.loadable.snapshot.contents == 11)
        #expect(!double.loadable.needsSync)
    }

    @Test func `a reset drops the writes`() {
        let loadable = Loadable.just(1)
        let write = loadable.writeOptimistically { _ in 2 }
        loadable.reset()
        #expect(loadable.snapshot.contents == nil)
        #expect(!write.confirm())
        #expect(!write.rollBack())
    }

    @Test func `a mutation shows what the server made of its write`() async throws {
        let loadable = Loadable.just([Note(id: 1)])
        let mutation = Mutation<Note, Note>(
            optimistically: { note in [loadable.writeOptimistically { ($0 ?? []).upserting(note) }] },
            confirm: { _, saved, writes in
                for write in writes { loadable.confirm(write) { ($0 ?? []).upserting(saved) } }
            },
            perform: { note in
                #expect(loadable.snapshot.contents?.map(\.id) == [1, -1])
                return Note(id: 7, text: note.text)
            }
        )
        try await mutation.run(Note(id: -1, text: "new"))
        #expect(loadable.snapshot.contents == [Note(id: 1), Note(id: 7, text: "new")])
        #expect(loadable.snapshot.contents?.removing(id: 1).map(\.id) == [7])
    }

    private struct Note: Identifiable, Hashable, Sendable {
        var id: Int
        var text = ""
    }

    @Test func `mutations of one scope run in order, one at a time, and a cancelled one is skipped`()
        async throws
    {
        let (scope, log, gates) = (MutationScope(), Log<Int>(), (0..<4).map { _ in TestGate() })
        let mutation = Mutation<Int, Void>(scope: scope) { input in
            log.add(input)
            await gates[input].pass()
        }
        var tasks: [Task<Void, any Error>] = []
        for input in 0..<4 {
            tasks.append(Task { try await mutation.run(input) })
            if input == 0 { await until { log.entries == [0] } }
            for _ in 0..<10_000 { await Task.yield() }
        }
        tasks[2].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[2].value }
        #expect(log.entries == [0])
        for input in [0, 1, 3] {
            await until { log.entries.last == input }
            gates[input].open()
            try await tasks[input].value
        }
        #expect(log.entries == [0, 1, 3])
    }

    @Test func `another scope does not wait`() async throws {
        let gate = TestGate()
        let held = Mutation<Int, Void>(scope: MutationScope()) { _ in await gate.pass() }
        let task = Task { try await held.run(0) }
        await until { gate.arrivals == 1 }
        let free = Mutation<Int, Int>(scope: MutationScope()) { $0 }
        #expect(try await free.run(1) == 1)
        gate.open()
        try await task.value
    }

    @Test func `a mutation is retried only on request`() async {
        for attempts in [1, 3] {
            let runs = Log<Int>()
            let retry = LoadRetry(maximumAttempts: attempts, backoff: Backoff(initial: .zero))
            let mutation = Mutation<Int, Void>(retry: retry, clock: TestClock()) { input in
                runs.add(input)
                throw TestError("refused")
            }
            await #expect(throws: TestError("refused")) { try await mutation.run(1) }
            #expect(runs.entries.count == attempts)
        }
    }
}
