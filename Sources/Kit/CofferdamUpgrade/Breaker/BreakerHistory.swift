/// What a breaker did in an epoch.
public struct BreakerHistory: Sendable, Hashable, Codable {
    /// How often it opened.
    public var openings: Int
    /// How long it was open at the longest, in whole seconds.
    public var longestSeconds: Int
    /// Whether it is open now.
    public var isOpen: Bool

    public init(openings: Int = 0, longestSeconds: Int = 0, isOpen: Bool = false) {
        self.openings = openings
        self.longestSeconds = longestSeconds
        self.isOpen = isOpen
    }
}
