#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The agreed differences of one capability, with a clock. Give the same value to its routes, which compare by it,
/// and to its ``EvidenceRecorder``, which begins a new count when one expires.
public struct Expectations: Sendable {
    /// All agreed differences, including expired ones.
    let agreed: [AgreedDifference]
    private let expiries: [Int64]
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - agreed: each with its own id; of two with the same id the first one is used.
    ///   - now: returns the time in seconds since 1970; by default the system's.
    public init(_ agreed: [AgreedDifference] = [], now: (@Sendable () -> Int64)? = nil) {
        self.agreed = agreed
        expiries = agreed.compactMap(\.expires)
        self.now = now ?? { Int64(time(nil)) }
    }

    /// No expected differences.
    public static let none = Expectations()

    /// The agreed differences that apply now.
    package var current: AgreedDifferences { AgreedDifferences(agreed, at: now()) }

    /// The number of expired differences. While it stays the same, so does ``current``.
    var expired: Int {
        guard !expiries.isEmpty else { return 0 }
        let now = now()
        return expiries.count { $0 <= now }
    }
}
