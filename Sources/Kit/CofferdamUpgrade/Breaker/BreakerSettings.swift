/// When a breaker opens, and when it tries again. The meaning and the defaults are resilience4j's, with a count window.
public struct BreakerSettings: Sendable, Hashable {
    /// How many of the last calls are looked at.
    public var window = 100
    /// How many must have been made before they say anything; not more than ``window``.
    public var fewestCalls = 100
    /// From this share of failed calls on it opens, 0 to 1.
    public var failedShare = 0.5
    /// From this share of slow calls on it opens, 0 to 1.
    public var slowShare = 1.0
    /// A call that takes longer is slow.
    public var slowLimit: Duration = .seconds(60)
    /// How long it stays open before it tries again.
    public var openFor: Duration = .seconds(60)
    /// How many calls it tries with.
    public var trials = 10

    public init() {}

    public static let defaults = BreakerSettings()

    /// `.defaults { $0.slowLimit = .seconds(2) }`
    public static func defaults(_ change: (inout BreakerSettings) -> Void) -> BreakerSettings {
        var settings = BreakerSettings()
        change(&settings)
        return settings
    }

    /// - Throws: ``BreakerError`` with `invalidSetting` for the first number that is not in its range.
    public func check() throws(BreakerError) {
        func need(_ isRight: Bool, _ name: String, _ rule: String) throws(BreakerError) {
            guard isRight else { throw BreakerError(.invalidSetting, "\(name) must be \(rule)") }
        }
        try need(window >= 1, "window", "at least 1")
        try need((1...window).contains(fewestCalls), "fewestCalls", "1 to the window, \(window)")
        try need(failedShare > 0 && failedShare <= 1, "failedShare", "above 0, and at most 1")
        try need(slowShare > 0 && slowShare <= 1, "slowShare", "above 0, and at most 1")
        try need(openFor >= .zero, "openFor", "no negative time")
        try need(trials >= 1, "trials", "at least 1")
    }
}

/// What a breaker cannot be, or cannot do.
public struct BreakerError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// A number is not in its range.
        public static let invalidSetting = Code(rawValue: "invalidSetting")
        /// There is no way from the one state to the other.
        public static let illegalTransition = Code(rawValue: "illegalTransition")
    }

    public var description: String { message }
}
