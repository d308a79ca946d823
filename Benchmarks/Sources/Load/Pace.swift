/// The speed at which a consumer takes a streamed body, and the number of bytes taken.
public struct Pace: Sendable {
    public private(set) var bytes = 0
    private let pause: Duration
    private var nextPause = 1 << 20

    /// - Parameter pause: the pause after each MB.
    public init(pause: Duration) { self.pause = pause }

    /// - Returns: the pause before the next block.
    public mutating func take(_ count: Int) -> Duration? {
        bytes += count
        guard pause > .zero, bytes >= nextPause else { return nil }
        nextPause += 1 << 20
        return pause
    }
}
