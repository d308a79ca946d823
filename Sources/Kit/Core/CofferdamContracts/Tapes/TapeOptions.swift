#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether a tape is recorded or replayed.
public enum TapeMode: String, Sendable, Hashable {
    case record, replay

    /// Reads the mode from the variable `COFFERDAM_TAPES`; `replay` unless it is `record`.
    ///
    /// - Parameter environment: the environment's variables; by default the process's.
    public init(environment: [String: String]? = nil) {
        let value = (environment ?? ProcessInfo.processInfo.environment)["COFFERDAM_TAPES"]
        self = value.flatMap { TapeMode(rawValue: $0) } ?? .replay
    }
}

/// How tapes are recorded and replayed.
public struct TapeOptions: Sendable {
    /// What never reaches the tape.
    public var redaction = TapeRedaction()
    /// Measures times when recording; when replaying, calls wait on it if the pace is kept.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Whether replayed calls take as long as recorded.
    public var keepsPace = false
    /// Whether recorded calls may remain unused.
    public var allowsUnused = false
    /// Whether the tape of a failed test is written too.
    public var writesAfterFailure = false
    /// The environment, whose variable `CI` forbids recording; nil for the process's.
    public var environment: [String: String]?

    /// Starts with the defaults.
    public init() {}

    /// Returns options that differ from the defaults.
    public static func defaults(_ change: (inout TapeOptions) -> Void) -> TapeOptions {
        var options = TapeOptions()
        change(&options)
        return options
    }
}
