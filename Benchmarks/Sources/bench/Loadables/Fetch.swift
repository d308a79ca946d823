import Cofferdam
import CofferdamState
import Synchronization

/// Measures 100,000 unstructured tasks that wait for one result, from the first task to the last answer.
func fetchByManyCallers() async -> Measurement {
    let count = 100_000
    return await Measurement.interleaved(
        "fetch.100kCallers",
        against: "the value of a shared Task",
        rounds: 9,
        unit: ("ms", 1e-3)
    ) {
        let door = Door()
        let loadable = Loadable<Int> {
            await door.pass()
            return 1
        }
        return await waiting(count, door) { try? await loadable.fetch() }
    } theirs: {
        let door = Door()
        let task = Task<Int, any Error> {
            await door.pass()
            return 1
        }
        return await waiting(count, door) { try? await task.value }
    }
}

private func waiting(
    _ count: Int,
    _ door: Door,
    _ body: @escaping @Sendable () async -> Int?
) async -> Duration {
    let entered = Counter()
    return await ContinuousClock().measure {
        let tasks = (0..<count).map { _ in
            Task {
                entered.add()
                return await body()
            }
        }
        while entered.value < count { await Task.yield() }
        door.open()
        for task in tasks { _ = await task.value }
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.wrappingAdd(1, ordering: .relaxed) }
}

private final class Door: Sendable {
    private struct State {
        var isOpen = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting.take()
        }
        waiting?.resume()
    }
}

/// Measures a fresh answer to a nonisolated caller, with contents that never expire and with contents that do.
func fetchIfNeededFresh() async throws -> Measurement {
    let count = 100_000
    let loadable = Loadable<Int>(freshFor: .seconds(3600)) { 1 }
    _ = try await loadable.fetch()
    let actor = Holder()
    return try await Measurement.interleaved(
        "fetchIfNeeded.fresh",
        against: "an actor's property",
        rounds: 9,
        unit: ("ns", 1e-9 * Double(count))
    ) {
        try await ContinuousClock().measure {
            var sum = 0
            for _ in 0..<count { sum &+= try await loadable.fetchIfNeeded() }
            keepValue(sum)
        }
    } theirs: {
        await ContinuousClock().measure {
            var sum = 0
            for _ in 0..<count { sum &+= await actor.value }
            keepValue(sum)
        }
    }
}

private actor Holder {
    var value = 1
}

@inline(never)
func keepValue<Value>(_ value: Value) { withExtendedLifetime(value) {} }
