import Cofferdam
import CofferdamState
import OpenCombine
import Synchronization

/// Measures one change of state, until the last of `count` observers has it.
func observe(_ count: Int) -> Measurement {
    let changes = max(20, 20_000 / count)
    let loadable = Loadable<Int>.just(0)
    let ourSum = Tally()
    let tokens = (0..<count).map { _ in loadable.observe { ourSum.add($0.contents ?? 0) } }
    let subject = CurrentValueSubject<Int, Never>(0)
    let theirSum = Tally()
    let cancellables = (0..<count).map { _ in subject.sink { theirSum.add($0) } }
    defer { withExtendedLifetime((tokens, cancellables)) {} }
    let clock = ContinuousClock()
    var samples: [(ours: Double, theirs: Double)] = []
    for round in 0...9 {
        let ours = clock.measure { for value in 0..<changes { loadable.set(value) } }.seconds
        let theirs = clock.measure { for value in 0..<changes { subject.send(value) } }.seconds
        if round > 0 { samples.append((ours, theirs)) }
    }
    return Measurement(
        name: "observe.\(count)",
        value: Measurement.median(samples.map(\.ours)) / Double(changes) * 1e6,
        unit: "µs a change",
        base: "OpenCombine's CurrentValueSubject",
        ratio: Measurement.median(samples.map { $0.ours / $0.theirs }),
        samples: samples.count
    )
}

/// Measures one change of state, until the last of `count` consumers of async sequences has it.
func observeByStream(_ count: Int) async -> Measurement {
    let changes = max(3, 2_000 / count)
    return await Measurement.interleaved(
        "observe.stream.\(count)",
        against: "an AsyncStream for each observer",
        rounds: 9,
        unit: ("µs a change", 1e-6 * Double(changes))
    ) {
        let loadable = Loadable<Int>.just(-1)
        let states = loadable.snapshots.states
        return await changing(count, changes) { arrivals in
            Task { for await snapshot in states { await arrivals.note(snapshot.contents ?? -1) } }
        } change: {
            loadable.set($0)
        }
    } theirs: {
        let streams = (0..<count).map { _ in AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1)) }
        let next = Mutex(0)
        return await changing(count, changes) { arrivals in
            let stream = streams[
                next.withLock { index in
                    defer { index += 1 }
                    return index
                }
            ].stream
            return Task {
                await arrivals.note(-1)
                for await value in stream { await arrivals.note(value) }
            }
        } change: { value in
            for (_, continuation) in streams { continuation.yield(value) }
        }
    }
}

private func changing(
    _ count: Int,
    _ changes: Int,
    consumer: (Arrivals) -> Task<Void, Never>,
    change: (Int) -> Void
) async -> Duration {
    let arrivals = Arrivals(expecting: count)
    let consumers = (0..<count).map { _ in consumer(arrivals) }
    await arrivals.all(-1)
    let duration = await ContinuousClock().measure {
        for value in 0..<changes {
            change(value)
            await arrivals.all(value)
        }
    }
    for consumer in consumers { consumer.cancel() }
    for consumer in consumers { await consumer.value }
    return duration
}

/// Counts arrivals at a value, and resumes the task that waits for all.
private final class Arrivals: Sendable {
    private struct State {
        var value = -1
        var count = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let expected: Int

    init(expecting expected: Int) { self.expected = expected }

    func note(_ value: Int) async {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if value > state.value { (state.value, state.count) = (value, 0) }
            if value == state.value { state.count += 1 }
            guard state.count == expected else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func all(_ value: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.value == value, state.count == expected { return true }
                state.waiting = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Work for each observer, so that none is optimised away.
final class Tally: Sendable {
    private let sum = Atomic(0)
    func add(_ value: Int) { sum.wrappingAdd(value, ordering: .relaxed) }
}
