public import Cofferdam  // for Difference

/// The differences between two sides' answers to the same calls.
public struct DriftReport: Sendable, Hashable, Codable {
    /// The name of the old side.
    package var legacy: String
    package var candidate: String
    package private(set) var calls: [Call] = []
    /// In the order of the calls.
    package private(set) var drifts: [Drift] = []

    /// Starts a report on two adapters, by name, without calls.
    ///
    /// - Parameter legacy: the name of the old side.
    public init(legacy: String, candidate: String) {
        self.legacy = legacy
        self.candidate = candidate
    }

    /// A call that was made on both sides.
    package struct Call: Sendable, Hashable, Codable {
        package var name: String
        /// How many things were compared between the two sides.
        package var compared: Int
    }

    /// One place in which the two sides differ.
    package struct Drift: Sendable, Hashable, Codable {
        package var tier: DriftTier
        /// The id of the ``KnownDrift`` that covers it; nil if none does.
        package var id: String?
        package var call: String
        package var subject: String
        package var path: String
        package var legacy: String?
        package var candidate: String?
        package var reason: String?

        /// "animals, asp, legs": the call, the thing and the field.
        package var place: String { [call, subject, path].filter { !$0.isEmpty }.joined(separator: ", ") }
    }

    /// Adds a call and its differences; a known difference becomes `info` under its id.
    public mutating func add(
        call: String,
        compared: Int,
        _ differences: [Difference],
        knowing known: [KnownDrift] = []
    ) {
        calls.append(Call(name: call, compared: compared))
        drifts += differences.map { difference in
            let known = known.first { $0.covers(difference, of: call) }
            let isOneSided = difference.legacy == nil || difference.candidate == nil
            return Drift(
                tier: known != nil ? .info : isOneSided ? .error : .warn,
                id: known?.id,
                call: call,
                subject: difference.subject,
                path: difference.path,
                legacy: difference.legacy,
                candidate: difference.candidate,
                reason: known?.reason
            )
        }
    }

    /// Returns the number of drifts of a tier.
    package func count(of tier: DriftTier) -> Int { drifts.count { $0.tier == tier } }

    /// "1 error, 2 warn, 40 info in 12 calls, 340 things compared".
    package var summary: String {
        let counts = DriftTier.allCases.reversed().map { "\(count(of: $0)) \($0.rawValue)" }
        let compared = calls.reduce(0) { $0 + $1.compared }
        return "\(counts.joined(separator: ", ")) in \(calls.count) calls, \(compared) things compared"
    }

    /// Whether something was compared and every difference is a known one.
    public var isGreen: Bool { calls.contains { $0.compared > 0 } && drifts.allSatisfy { $0.tier == .info } }
}
