import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

/// Checks that an order given here outlives the process, even if the task that gave it is cancelled.
@Suite struct PendingRequestTests {
    private let bench: EngineBench
    private let memory = ScriptedMemory()
    init() throws { bench = try EngineBench() }

    private func engine() -> UpgradeEngine { bench.engine { $0.memory = memory } }

    /// Runs the body in a task that is already cancelled.
    private func cancelled<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body()
        }.value
    }

    /// Returns the status of a process that starts now.
    private func next() async -> UpgradeStatus {
        bench.control.follow(StageState())
        return await engine().start()
    }

    @Test func `what could not be written down is written as soon as it can be`() async throws {
        try await bench.raise(to: .candidateOnly)
        let first = engine()
        await first.start()
        bench.store.set(.unavailable)
        memory.failNextWrite()
        let status = try await first.abort(by: "amara", reason: "users complain")
        #expect(status.stage == .legacyOnly)
        await first.refresh()
        let second = await next()
        #expect(second.stage == .legacyOnly)
        #expect(second.pendingRequests.map(\.by) == ["amara"])
    }

    @Test func `a request of a cancelled caller is written all the same`() async throws {
        try await bench.raise(to: .candidateOnly)
        let first = engine()
        await first.start()
        bench.store.set(.unavailable)
        _ = try await cancelled { try await first.abort(by: "amara", reason: "users complain") }
        let second = await next()
        #expect(second.stage == .legacyOnly)
        #expect(second.pendingRequests.map(\.by) == ["amara"])
    }

    @Test func `a start that is cancelled still reads and writes the memory`() async throws {
        try await bench.raise(to: .candidateOnly)
        await engine().start()
        bench.store.set(.unavailable)
        bench.control.follow(StageState())
        let second = engine()
        #expect(try await cancelled { await second.start() }.stage == .candidateOnly)
        try await second.abort(by: "amara", reason: "users complain")
        #expect(await next().pendingRequests.map(\.by) == ["amara"])
    }

    @Test func `a request while the memory is being read takes effect after those made before`() async throws {
        try await bench.raise(to: .candidateOnly)
        let first = engine()
        await first.start()
        bench.store.set(.unavailable)
        try await first.abort(by: "amara", reason: "users complain")
        let gate = TestGate()
        memory.holdNextReading(at: gate)
        let second = engine()
        let start = Task { await second.start() }
        await until { gate.arrivals == 1 }
        try await second.kill(.candidate, by: "kenji", reason: "V1 is down")
        gate.open()
        let status = await start.value
        #expect(status.stage == .candidateOnly)
        #expect(status.pendingRequests.map(\.by) == ["amara", "kenji"])
        #expect(await next().pendingRequests == status.pendingRequests)
    }

    @Test func `what the store reports while the memory is being read prevails if it is newer`() async throws {
        try await bench.raise(to: .shadow(sample: .all))
        await engine().start()
        try await bench.raise(to: .canary(share: 500))
        let gate = TestGate()
        memory.holdNextReading(at: gate)
        let second = engine()
        let start = Task { await second.start() }
        await until { gate.arrivals == 1 }
        #expect(await second.refresh().stage == .canary(share: 500))
        bench.store.set(.unavailable)
        gate.open()
        #expect(await start.value.stage == .canary(share: 500))
    }

    @Test func `an earlier state is not written over a request`() async throws {
        try await bench.raise(to: .shadow(sample: .all))
        let first = engine()
        await first.start()
        try await bench.raise(to: .candidateOnly)
        let gate = TestGate()
        memory.holdNextWrite(at: gate)
        let refresh = Task { await first.refresh() }
        await until { gate.arrivals == 1 }
        bench.store.set(.unavailable)
        let abort = Task { try await first.abort(by: "amara", reason: "users complain") }
        await until { !first.status.pendingRequests.isEmpty }
        for _ in 0..<1_000 { await Task.yield() }
        gate.open()
        _ = await refresh.value
        _ = try await abort.value
        #expect(await next().pendingRequests.map(\.by) == ["amara"])
    }

    @Test func `a request that is refused before anything was stored is forgotten`() async throws {
        let first = engine()
        await first.start()
        await #expect(throws: UpgradeRefusal.self) { try await first.abort(by: "amara", reason: "too early") }
        try await bench.raise(to: .canary(share: 500))
        let second = await next()
        #expect(second.stage == .canary(share: 500))
        #expect(second.pendingRequests == [])
    }

    @Test func `a request that the next process finds refused before anything was stored is forgotten, too`()
        async throws
    {
        bench.store.set(.unavailable)
        try await engine().abort(by: "amara", reason: "too early")
        bench.store.set(nil)
        #expect(await next().pendingRequests == [])
        try await bench.raise(to: .canary(share: 500))
        let third = await next()
        #expect(third.stage == .canary(share: 500))
        #expect(third.pendingRequests == [])
    }
}

/// A memory that does nothing for a cancelled task, as one on disk, and that can fail or be slow.
private final class ScriptedMemory: UpgradeMemory {
    private struct State {
        var kept: RememberedUpgrade?
        var failsNextWrite = false
        var writing: TestGate?
        var reading: TestGate?
    }

    private let state = Mutex(State())

    func failNextWrite() { state.withLock { $0.failsNextWrite = true } }
    func holdNextWrite(at gate: TestGate) { state.withLock { $0.writing = gate } }
    func holdNextReading(at gate: TestGate) { state.withLock { $0.reading = gate } }

    func remembered(of capability: String) async throws -> RememberedUpgrade? {
        try Task.checkCancellation()
        await state.withLock { $0.reading.take() }?.pass()
        return state.withLock { $0.kept }
    }

    func remember(_ upgrade: RememberedUpgrade) async throws {
        try Task.checkCancellation()
        await state.withLock { $0.writing.take() }?.pass()
        try state.withLock { state in
            defer { state.failsNextWrite = false }
            if state.failsNextWrite { throw TestError("the disk is full") }
            state.kept = upgrade
        }
    }

    func localKill(of capability: String) async throws -> KillSwitch? { nil }
}
