import Cofferdam
import CofferdamSupport
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks that in every interleaving of calls, cancellations, ends, invalidations and releases, each caller is resumed
/// with the right outcome, and nothing is left over.
@Suite(.serialized) struct LoadableInterleavingTests {
    enum Draining: CaseIterable { case afterEach, atTheEnd }

    @Test(arguments: Draining.allCases)
    func `every order of events for two callers ends well`(draining: Draining) async {
        let wrong = await onOwnThread { Self.wrongOrder(draining: draining) }
        #expect(wrong == nil)
    }

    private static func wrongOrder(draining: Draining) -> String? {
        // The callers are interchangeable, so the first one always calls first.
        let happenings: [Happening] = [
            .call(0), .call(1), .cancel(0), .cancel(1), .finish, .fail, .supersede, .invalidate, .release,
        ]
        var problem: String? = "no order was tried"
        forEachOrder(of: happenings, before: [(0, 1), (0, 2), (1, 3)]) { order in
            let interleaving = Interleaving()
            for happening in order {
                interleaving.perform(happening)
                if draining == .afterEach { interleaving.drain() }
            }
            interleaving.drain(newestFirst: draining == .atTheEnd)
            problem = interleaving.conclude().map { "\($0), after \(order)" }
            return problem == nil
        }
        return problem
    }

    private static let environment: [Happening] = [
        .cancel(0), .cancel(1), .finish, .fail, .supersede, .invalidate, .write, .writeOptimistically, .confirm, .reset,
        .release,
    ]

    @Test(arguments: environment, environment)
    func `every schedule of the jobs of two callers ends well, whichever two events occur meanwhile`(
        first: Happening,
        second: Happening
    ) async {
        guard first != second else { return }
        let wrong = await onOwnThread { Self.wrongSchedule(with: first, second) }
        #expect(wrong == nil)
    }

    private static func wrongSchedule(with first: Happening, _ second: Happening) -> String? {
        var problem: String? = "no schedule was tried"
        forEachSchedule { choose in
            let interleaving = Interleaving()
            interleaving.perform(.call(0))
            interleaving.perform(.call(1))
            var pending = [first, second]
            while interleaving.jobCount + pending.count > 0 {
                // These events happen in the given order; the other order is a separate case.
                let choice = choose(interleaving.jobCount + (pending.isEmpty ? 0 : 1))
                if choice < interleaving.jobCount {
                    interleaving.run(choice)
                } else {
                    interleaving.perform(pending.removeFirst())
                }
            }
            problem = interleaving.conclude()
            return problem == nil
        }
        return problem
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any schedule of three callers and any events ends well`(block: UInt64) async {
        let wrong = await onOwnThread { Self.wrongSample(of: block * 1000..<(block + 1) * 1000) }
        #expect(wrong == nil)
    }

    private static func wrongSample(of seeds: Range<UInt64>) -> String? {
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let interleaving = Interleaving()
            var pending: [Happening] = (0..<3).map { .call($0) }
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                pending.append(environment[Int.random(in: 0..<environment.count, using: &random)])
            }
            if Bool.random(using: &random) { pending.append(.cancel(2)) }
            if Bool.random(using: &random) { pending.append(.rollBack) }
            pending.shuffle(using: &random)
            // A caller calls before it is cancelled.
            pending.sort { isBefore($0, $1) }
            while interleaving.jobCount + pending.count > 0 {
                let choice = Int.random(in: 0..<(interleaving.jobCount + min(pending.count, 2)), using: &random)
                if choice < interleaving.jobCount {
                    interleaving.run(choice)
                } else {
                    interleaving.perform(pending.removeFirst())
                }
            }
            if let wrong = interleaving.conclude() { return "\(wrong), with the seed \(seed)" }
        }
        return nil
    }

    @Test func `a caller that is already cancelled gets CancellationError, and nothing is loaded`() async {
        let loads = Log<Void>()
        let loadable = Loadable<Int> {
            loads.add(())
            return 1
        }
        let gate = TestGate()
        let task = Task {
            await gate.pass()
            return try await loadable.fetch()
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(loads.entries.isEmpty)
    }
}

private func isBefore(_ a: Happening, _ b: Happening) -> Bool {
    if case .call = a, case .cancel = b { return true }
    return false
}

/// Calls `body` with each permutation that respects the order of each pair in `before`, until it returns false.
private func forEachOrder<Element>(
    of elements: [Element],
    before: [(Int, Int)],
    _ body: ([Element]) -> Bool
) {
    func extend(_ order: [Int], _ left: Set<Int>) -> Bool {
        if left.isEmpty { return body(order.map { elements[$0] }) }
        for next in left.sorted() where !before.contains(where: { $0.1 == next && left.contains($0.0) }) {
            guard extend(order + [next], left.subtracting([next])) else { return false }
        }
        return true
    }
    _ = extend([], Set(elements.indices))
}

/// Runs `body` with every possible sequence of choices, depth first, until it returns false.
private func forEachSchedule(_ body: ((_ optionCount: Int) -> Int) -> Bool) {
    var path: [(choice: Int, options: Int)] = []
    while true {
        var depth = 0
        let goesOn = body { options in
            if depth == path.count { path.append((0, options)) }
            depth += 1
            return path[depth - 1].choice
        }
        guard goesOn else { return }
        while let last = path.last, last.choice + 1 == last.options { path.removeLast() }
        guard !path.isEmpty else { return }
        path[path.count - 1].choice += 1
    }
}
