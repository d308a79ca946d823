public import Cofferdam  // an error with a code

/// When a breaker opens and when it tries again. Meaning and defaults are those of resilience4j, with a count-based
/// window.
public struct BreakerSettings: Sendable, Hashable {
    /// The number of calls in the window.
    public var window = 100
    /// The minimum number of calls before the breaker can open; at most ``window``.
    public var minimumCalls = 100
    /// The breaker opens at this share of failed calls, 0 to 1.
    public var failedShare = 0.5
    /// The breaker opens at this share of slow calls, 0 to 1.
    public var slowShare = 1.0
    /// Calls that take longer are slow.
    public var slowLimit: Duration = .seconds(60)
    /// How long the breaker stays open before it tries again, and how long a trial may take before it counts as failed,
    /// whether or not it ever ends. If it is zero, a trial may take ``slowLimit``.
    public var openFor: Duration = .seconds(60)
    /// The number of trial calls of a half-open breaker.
    public var trials = 10

    /// Creates the default settings.
    public init() {}

    /// The default settings.
    public static let defaults = BreakerSettings()

    /// The defaults, changed in place: `.defaults { $0.slowLimit = .seconds(2) }`.
    public static func defaults(_ change: (inout BreakerSettings) -> Void) -> BreakerSettings {
        var settings = BreakerSettings()
        change(&settings)
        return settings
    }

    /// How long a trial may take.
    var trialLimit: Duration { openFor > .zero ? openFor : slowLimit }

    /// - Throws: ``BreakerError`` with `invalidSetting` for the first number that is out of range.
    package func check() throws(BreakerError) {
        func need(_ isRight: Bool, _ name: String, _ rule: String) throws(BreakerError) {
            guard isRight else { throw BreakerError(.invalidSetting, "\(name) must be \(rule)") }
        }
        try need(window >= 1, "window", "at least 1")
        try need((1...window).contains(minimumCalls), "minimumCalls", "1 to the window, \(window)")
        try need(failedShare > 0 && failedShare <= 1, "failedShare", "above 0, and at most 1")
        try need(slowShare > 0 && slowShare <= 1, "slowShare", "above 0, and at most 1")
        try need(openFor >= .zero, "openFor", "zero or more")
        try need(trials >= 1, "trials", "at least 1")
    }
}

/// An invalid setting or an illegal transition of a breaker.
public struct BreakerError: CodedError, Hashable {
    /// The kind of the error.
    public var code: Code
    /// A description of the error, for people.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A number is out of range.
        public static let invalidSetting = Code(rawValue: "invalidSetting")
    }

    /// The message.
    public var description: String { message }
}
