package import Cofferdam  // operations, sides and differences
import CofferdamSupport
import CofferdamGate
import Foundation

/// The behaviour of two sides, as rates: a world to try a plan in.
///
/// Each unit makes one visit. It calls the first operation or the second, and each of the others by chance; at most
/// one fault affects it. The recorder computes the outcome of a visit.
package struct SimulatedWorld: Sendable, Hashable {
    /// One operation of the capability.
    package struct Operation: Sendable, Hashable {
        package var name: String
        /// The share of the units that call it.
        package var share: Double
        package var isRead: Bool
        /// Whether only the candidate has it, so that no baseline knows it.
        package var isNew: Bool

        package init(_ name: String, share: Double, isRead: Bool = true, isNew: Bool = false) {
            (self.name, self.share, self.isRead, self.isNew) = (name, share, isRead, isNew)
        }
    }

    /// A fault that affects some of the units.
    package struct Fault: Sendable, Hashable {
        package var kind: Kind
        package var side: Side
        /// Nil if it affects any operation.
        package var operation: String?
        /// The rate among the units that call the operation; among all units if none is named.
        package var rate: Double
        /// The first affected call of the visit.
        package var place: Int
        /// The number of consecutive affected calls.
        package var calls: Int

        package init(
            _ kind: Kind,
            by side: Side,
            of operation: String? = nil,
            rate: Double,
            place: Int = 1,
            calls: Int = 1
        ) {
            (self.kind, self.side, self.operation) = (kind, side, operation)
            (self.rate, self.place, self.calls) = (rate, max(1, place), max(1, calls))
        }

        package enum Kind: Sendable, Hashable {
            case failed
            /// The data differs.
            case mismatch
            /// An error of that kind that is an answer.
            case answer(String)
            /// The side hangs, and the caller leaves after that time.
            case givenUp(after: Duration)
            /// Slower than the limit.
            case slow
            /// The side hangs, and the caller waits for ever.
            case hanging
            /// The app's process ends during the side's call, with nothing in the shadow.
            case crash
            /// The side is opened first, which takes that long.
            case opened(after: Duration)
        }
    }

    package var operations: [Operation]
    package var faults: [Fault]
    /// The durations of calls; nil if only faults determine which calls are slow.
    package var pace: SimulatedPace?
    /// The number of units measured at `legacyOnly`.
    package var baselineUnits: Int
    /// The share of the candidate's units that never report anything, because it ends their process.
    package var missing = 0.0
    /// The rate at which the legacy side failed while the baseline was taken, and only then.
    package var poison = 0.0

    package init(
        _ operations: [Operation] = SimulatedWorld.defaultOperations,
        faults: [Fault] = [],
        pace: SimulatedPace? = nil,
        baselineUnits: Int = 20_000
    ) {
        (self.operations, self.faults, self.pace, self.baselineUnits) = (operations, faults, pace, baselineUnits)
    }

    /// Eight operations, from one that most units call to one that 1 % of them call.
    package static let defaultOperations = [
        Operation("search", share: 0.6), Operation("list", share: 0.4), Operation("details", share: 0.25),
        Operation("order", share: 0.2, isRead: false), Operation("profile", share: 0.1),
        Operation("cancel", share: 0.05, isRead: false), Operation("receipts", share: 0.02),
        Operation("refund", share: 0.01, isRead: false),
    ]

    /// The same world with more faults.
    package func with(_ more: Fault...) -> SimulatedWorld {
        var world = self
        world.faults += more
        return world
    }

    /// Each fault with the operation that it affects, and its rate among all units. A fault of any operation is split
    /// among the operations by their shares of the calls.
    func strikes() -> [(fault: Fault, operation: Int, rate: Double)] {
        let sum = operations.reduce(0) { $0 + $1.share }
        return faults.flatMap { fault in
            operations.indices.compactMap { place in
                let operation = operations[place]
                if let name = fault.operation {
                    return name == operation.name ? (fault, place, fault.rate * operation.share) : nil
                }
                return (fault, place, fault.rate * operation.share / sum)
            }
        }
    }

    /// The number of callers of each operation. Each unit calls one of the first two, and each of the others by chance.
    func callers(of units: Int, _ random: inout SplitMix64) -> [Int] {
        var callers = operations.map { _ in 0 }
        for (place, operation) in operations.enumerated() {
            callers[place] = place == 1 ? units - callers[0] : random.binomial(units, operation.share)
        }
        return callers
    }
}

/// The durations of the sides' calls: log-normal, with a median for each side.
package struct SimulatedPace: Sendable, Hashable {
    package var legacyMilliseconds: Double
    package var candidateMilliseconds: Double
    /// The standard deviation of the logarithm.
    package var spread: Double
    /// The factor by which calls take longer if both sides are asked.
    package var load: Double

    package init(legacy: Double, candidate: Double, spread: Double = 0.5, load: Double = 1) {
        (legacyMilliseconds, candidateMilliseconds, self.spread, self.load) = (legacy, candidate, spread, load)
    }

    func duration(_ side: Side, isShadowed: Bool = false, _ random: inout SplitMix64) -> Duration {
        .nanoseconds(Int64(median(side, isShadowed) * exp(spread * random.normal()) * 1e6))
    }

    /// The share of a side's calls that take longer.
    func slow(_ side: Side, than limit: Duration, isShadowed: Bool) -> Double {
        let milliseconds = Double(limit.wholeNanoseconds) / 1e6
        return normalTail(log(milliseconds / median(side, isShadowed)) / spread)
    }

    private func median(_ side: Side, _ isShadowed: Bool) -> Double {
        (side == .legacy ? legacyMilliseconds : candidateMilliseconds) * (isShadowed ? load : 1)
    }
}

/// The part of the standard normal distribution above `z`: by Simpson's rule, to about ten digits.
private func normalTail(_ z: Double) -> Double {
    if z < 0 { return 1 - normalTail(-z) }
    let (steps, width) = (1_000, 10.0)
    let step = width / Double(steps)
    let sum = (0...steps).reduce(0.0) { sum, number in
        let x = z + Double(number) * step
        let weight = number == 0 || number == steps ? 1.0 : number % 2 == 1 ? 4 : 2
        return sum + weight * exp(-x * x / 2)
    }
    return sum * step / 3 * 0.398_942_280_401_432_7
}
