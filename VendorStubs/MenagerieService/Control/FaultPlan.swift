#if Sandbox
import Foundation

/// One of the service's two APIs.
public enum Major: String, Sendable, Hashable, CaseIterable { case v1, v2 }

/// The faults that have not occurred yet.
struct FaultPlan: Sendable {
    private struct Armed: Sendable {
        let fault: Fault
        let major: Major?
        let probability: Double
        var skips: Int
        var times: Int
    }

    private var armed: [Operation: [Armed]] = [:]
    private var generator: SeededGenerator
    /// Incremented by each release: calls held before it continue.
    var releases = 0
    /// The number of calls held now.
    var held = 0
    /// The number of calls delayed now.
    var delayed = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed, stream: 5) }

    mutating func inject(
        _ fault: Fault,
        on operation: Operation,
        via major: Major?,
        times: Int,
        after skips: Int,
        probability: Double
    ) {
        guard times > 0 else { return }
        armed[operation, default: []].append(
            Armed(fault: fault, major: major, probability: probability, skips: max(0, skips), times: times)
        )
    }

    /// Returns the fault for this call, if any: those of an operation are used in order, beginning with the first for
    /// the call's API.
    mutating func take(for operation: Operation, via major: Major?) -> Fault? {
        guard let index = armed[operation]?.firstIndex(where: { $0.major == nil || $0.major == major }),
            var next = armed[operation]?[index]
        else { return nil }
        if next.skips > 0 {
            next.skips -= 1
            armed[operation]?[index] = next
            return nil
        }
        if next.probability < 1, Double.random(in: 0..<1, using: &generator) >= next.probability { return nil }
        next.times -= 1
        if next.times == 0 {
            armed[operation]?.remove(at: index)
        } else {
            armed[operation]?[index] = next
        }
        return drawn(next.fault)
    }

    private mutating func drawn(_ fault: Fault) -> Fault {
        guard case .logNormalDelay(let median, let sigma) = fault else { return fault }
        // The Box–Muller transform.
        let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
        let normal = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
        let milliseconds = Double(median.milliseconds) * exp(sigma * normal)
        return .delay(.milliseconds(Int64(min(max(milliseconds, 0), 600_000))))
    }

    mutating func clear() { armed = [:] }
}
#endif
