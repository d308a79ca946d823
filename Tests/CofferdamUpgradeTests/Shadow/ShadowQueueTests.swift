import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

/// Each job in the shadow belongs to its caller.
@Suite(.timeLimit(.minutes(1))) struct ShadowQueueTests {
    @TaskLocal private static var tenant = "none"

    private struct Seen: Sendable, Hashable {
        var tenant: String
        var priority: UInt8

        init(_ tenant: String, _ priority: TaskPriority) { (self.tenant, self.priority) = (tenant, priority.rawValue) }
    }

    /// Submits a job as that tenant, at that priority, and returns once it is queued.
    private func submit(
        _ tenant: String,
        _ priority: TaskPriority = .medium,
        to shadowQueue: ShadowQueue,
        _ job: @escaping @Sendable () async -> Void
    ) async -> Bool {
        await Self.$tenant.withValue(tenant) {
            await Task(priority: priority) { shadowQueue.submit(job) }.value
        }
    }

    @Test func `each job has its own caller's task-locals and priority, whether it waited or not`() async throws {
        let (shadowQueue, gate, seen) = (ShadowQueue(width: 2), TestGate(), Log<Seen>())
        let callers: [(String, TaskPriority)] = [
            ("a", .background), ("b", .high), ("c", .low), ("d", .medium), ("e", .high), ("none", .background),
        ]
        for (tenant, priority) in callers {
            let isTaken = await submit(tenant, priority, to: shadowQueue) {
                await gate.pass()
                seen.add(Seen(Self.tenant, Task.currentPriority))
            }
            #expect(isTaken)
        }
        gate.open()
        await shadowQueue.drained()
        #expect(Set(seen.entries) == Set(callers.map { Seen($0.0, $0.1) }))
        #expect(seen.entries.count == callers.count)
    }

    @Test func `a comparison calls the candidate as its own caller, not as the previous one`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all), shadowQueue: ShadowQueue(width: 1))
        let (gate, seen) = (TestGate(), Log<String>())
        upgrade.candidate.respond { id in
            await gate.pass()
            seen.add("\(id) by \(Self.tenant)")
            return Animal(id: id, name: "animal \(id)")
        }
        for (id, tenant) in ["a", "b", "c"].enumerated() {
            _ = try await Self.$tenant.withValue(tenant) { try await upgrade.zoo.animal(id) }
        }
        gate.open()
        await upgrade.shadowQueue.drained()
        #expect(seen.entries == ["0 by a", "1 by b", "2 by c"])
    }

    @Test func `no more run at once than allowed, in the order in which they came`() async throws {
        for width in 1...3 {
            let (shadowQueue, order) = (ShadowQueue(capacity: 100, width: width), Log<Int>())
            let running = Mutex((now: 0, most: 0))
            for number in 0..<60 {
                let isTaken = await submit("t\(number)", to: shadowQueue) {
                    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    order.add(number)
                    for _ in 0..<5 { await Task.yield() }
                    running.withLock { $0.now -= 1 }
                }
                #expect(isTaken)
            }
            await shadowQueue.drained()
            #expect(running.withLock { $0.now } == 0)
            #expect(running.withLock { $0.most } <= width)
            #expect(order.entries.count == 60)
            if width == 1 { #expect(order.entries == Array(0..<60)) }
            #expect(shadowQueue.dropped == 0)
        }
    }

    @Test func `a full queue takes nothing, and counts what it drops`() async throws {
        let (shadowQueue, gate) = (ShadowQueue(capacity: 3, width: 2), TestGate())
        var taken = 0
        for _ in 0..<9 where await submit("t", to: shadowQueue, { await gate.pass() }) { taken += 1 }
        #expect(taken == 5)
        #expect(shadowQueue.dropped == 4)
        gate.open()
        await shadowQueue.drained()
        #expect(await submit("t", to: shadowQueue) {})
        await shadowQueue.drained()
        #expect(shadowQueue.dropped == 4)
    }

    @Test func `concurrent submissions lose no job, and leave the queue empty`() async throws {
        let (shadowQueue, ended) = (ShadowQueue(capacity: 16, width: 2), Log<Void>())
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<500 where shadowQueue.submit({ ended.add(()) }) { taken += 1 }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        await shadowQueue.drained()
        #expect(ended.entries.count == taken)
        #expect(shadowQueue.dropped == 4_000 - taken)
    }

    @Test func `a queue with its own executor runs everything on it`() async throws {
        let executor = ManualExecutor()
        let (shadowQueue, seen) = (ShadowQueue(width: 1, executor: executor), Log<Int>())
        for number in 0..<3 { #expect(shadowQueue.submit { seen.add(number) }) }
        #expect(seen.entries == [])
        executor.drain()
        #expect(seen.entries == [0, 1, 2])
        await shadowQueue.drained()
    }
}

extension ShadowQueue {
    /// Submits a job as a route does.
    fileprivate func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
        guard let place = place() else { return false }
        Task(executorPreference: executor) {
            _ = await withUnsafeContinuation { self.wait(at: place, $0) }
            await job()
            self.end()
        }
        return true
    }
}
