#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What was agreed about one capability's differences, held against the time: the same value goes to its routes, which judge
/// by it, and to its ``EvidenceRecorder``, which begins anew when something has expired.
public struct Expectations: Sendable {
    /// All of them, expired ones too.
    public let agreed: [AgreedDifference]
    private let expiries: [Int64]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - agreed: each with an id of its own; of two with one id the first one holds.
    ///   - now: the time in seconds since 1970; by default the system's.
    public init(_ agreed: [AgreedDifference] = [], now: (@Sendable () -> Int64)? = nil) {
        self.agreed = agreed
        expiries = agreed.compactMap(\.expires)
        self.now = now ?? { Int64(time(nil)) }
    }

    public static let none = Expectations()

    /// What is foreseen now.
    public var current: AgreedDifferences { AgreedDifferences(agreed, at: now()) }

    /// How many have expired. As long as it stays the same, so does ``current``.
    var expired: Int {
        guard !expiries.isEmpty else { return 0 }
        let now = now()
        return expiries.count { $0 <= now }
    }
}
