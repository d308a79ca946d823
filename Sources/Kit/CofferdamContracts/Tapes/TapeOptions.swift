#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whether a tape is made or used.
public enum TapeMode: String, Sendable, Hashable {
    case record, replay

    /// `record` where the variable `COFFERDAM_TAPES` says so, and else `replay`.
    ///
    /// - Parameter environment: by default the process's.
    public init(environment: [String: String]? = nil) {
        let value = (environment ?? ProcessInfo.processInfo.environment)["COFFERDAM_TAPES"]
        self = value.flatMap { TapeMode(rawValue: $0) } ?? .replay
    }
}

/// How tapes are recorded and replayed.
public struct TapeOptions: Sendable {
    /// What never reaches the tape.
    public var redaction = TapeRedaction()
    /// Measures when recording, and waits when the pace is kept.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Calls take as long as recorded.
    public var keepsPace = false
    /// What was recorded need not be called.
    public var allowsUnused = false
    /// The tape of a test that failed is written as well.
    public var writesAfterFailure = false
    /// In which the variable `CI` forbids to record; nil is the process's.
    public var environment: [String: String]?

    /// Starts with the defaults.
    public init() {}

    /// Options that differ from the usual ones.
    public static func defaults(_ change: (inout TapeOptions) -> Void) -> TapeOptions {
        var options = TapeOptions()
        change(&options)
        return options
    }
}
