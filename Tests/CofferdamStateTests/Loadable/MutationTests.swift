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

    @Test func `a rollback never undoes anything newer`() {
        for isNewer in [false, true] {
            let loadable = Loadable.just(1)
            let write = loadable.writeOptimistically { ($0 ?? 0) + 1 }
            if isNewer { loadable.set(9) }
            #expect(write.rollBack() == !isNewer)
            #expect(loadable.snapshot.contents == (isNewer ? 9 : 1))
            #expect(!write.rollBack())
        }
    }

    @Test func `a rollback restores state, error and age too`() {
        let clock = TestClock()
        let double = LoadableDouble<Int>(freshness: .for(.seconds(10)), clock: clock)
        double.succeed(1)
        clock.advance(by: .seconds(4))
        double.fail(TestError("before"))
        let write = double.loadable.writeOptimistically { _ in 2 }
        #expect(double.loadable.snapshot.state == .succeeded)
        clock.advance(by: .seconds(1))
        write.rollBack()
        let snapshot = double.loadable.snapshot
        #expect(snapshot.state == .failed)
        #expect(snapshot.error as? TestError == TestError("before"))
        #expect(snapshot.contents == 1)
        #expect(snapshot.age == .seconds(5))
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

    @Test func `after the rollback of a write that had overtaken a run, a loadable kept in sync loads again`() async {
        let double = LoadableDouble<Int>()
        let token = double.loadable.activate()
        await until { double.waitingRunCount == 1 }
        let write = double.loadable.writeOptimistically { _ in 1 }
        double.succeed(7)
        await until { double.loadable.snapshot.state == .succeeded }
        #expect(double.loadable.snapshot.contents == 1)
        write.rollBack()
        await until { double.waitingRunCount == 1 }
        double.succeed(8)
        await until { double.loadable.snapshot.contents == 8 }
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

    @Test func `stacked writes are rolled back newest first, down to the original contents`() async throws {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let writes = (1...3).map { value in double.loadable.writeOptimistically { _ in value } }
        for (write, contents) in zip(writes.reversed(), [2, 1, nil]) {
            #expect(write.rollBack())
            #expect(double.loadable.snapshot.contents == contents)
            #expect(!write.rollBack())
        }
        double.succeed(7)
        #expect(try await task.value == 7)
        #expect(double.loadable.snapshot.contents == 7)
    }

    @Test(arguments: [[0, 1], [0, 1, 2], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1]])
    func `a write that could not be rolled back does not count as fresh once it is restored`(order: [Int]) {
        let loadable = Loadable.just(0)
        let writes = order.indices.map { index in loadable.writeOptimistically { ($0 ?? 0) + index + 1 } }
        let newest = loadable.snapshot.contents
        var remaining = order.indices
        for index in order {
            let isNewest = index == remaining.last
            #expect(writes[index].rollBack() == isNewest)
            if isNewest { remaining.removeLast() }
            if remaining == order.indices {
                #expect(loadable.snapshot.contents == newest)
                #expect(!loadable.needsSync, "nothing has changed")
            }
        }
        #expect(loadable.snapshot.contents != newest)
        #expect(loadable.needsSync)
    }

    @Test(arguments: [1, 2], [Result<Int, any Error>.success(7), .failure(TestError("lost"))])
    func `contents restored after a run's answer was dropped do not count as fresh`(
        writeCount: Int,
        answer: Result<Int, any Error>
    ) async {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let writes = (0..<writeCount).map { index in double.loadable.writeOptimistically { _ in 10 + index } }
        switch answer {
        case .success(let contents): double.succeed(contents)
        case .failure(let error): double.fail(error)
        }
        _ = await task.result
        #expect(!double.loadable.needsSync, "the write stands, and is newer")
        for write in writes.reversed() { #expect(write.rollBack()) }
        #expect(double.loadable.snapshot.contents == 1)
        #expect(double.loadable.snapshot.isInvalidated)
        #expect(double.loadable.needsSync)
        double.loadable.set(2)
        #expect(!double.loadable.needsSync)
    }

    @Test func `a write that a dropped answer would have replaced does not count as fresh once it is restored`() async {
        let double = LoadableDouble<Int>()
        let first = double.loadable.writeOptimistically { _ in 1 }
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let second = double.loadable.writeOptimistically { _ in 2 }
        double.succeed(7)
        _ = await task.result
        #expect(second.rollBack())
        #expect(double.loadable.snapshot.contents == 1)
        #expect(double.loadable.needsSync)
        #expect(first.rollBack())
        #expect(double.loadable.needsSync)
    }

    @Test func `a restored write stays fresh if it would have dropped the answer itself`() async {
        let double = LoadableDouble<Int>()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        double.loadable.set(1)
        let write = double.loadable.writeOptimistically { _ in 2 }
        double.succeed(7)
        _ = await task.result
        #expect(write.rollBack())
        #expect(double.loadable.snapshot.contents == 1)
        #expect(!double.loadable.needsSync)
    }

    @Test func `a loadable kept in sync loads at once when a rollback follows a dropped answer`() async {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let token = double.loadable.activate()
        let task = Task { try await double.loadable.fetch() }
        await until { double.waitingRunCount == 1 }
        let write = double.loadable.writeOptimistically { _ in 2 }
        double.succeed(7)
        _ = await task.result
        write.rollBack()
        await until { double.waitingRunCount == 1 }
        double.succeed(8)
        await until { double.loadable.snapshot.contents == 8 }
        token.cancel()
    }

    @Test func `a corrected write whose rollback is refused does not count as fresh`() {
        let double = LoadableDouble<Int>()
        double.succeed(1)
        let write = double.loadable.writeOptimistically { _ in 2 }
        double.loadable.correct { $0 + 10 }
        #expect(!write.rollBack())
        #expect(double.loadable.snapshot.contents == 12)
        #expect(double.loadable.needsSync)
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
