/// The published items in the order of the service's record, with their times.
struct FeedRecord: Sendable {
    let keys: [String]
    let places: [String: Int]
    let times: [String: Int]
    private let published: [String: ClosedRange<Duration>]
    private let delay: Duration

    /// - Parameters:
    ///   - published: the time during which each key was being written, as far as known.
    ///   - delay: two items published further apart than this arrive in that order everywhere.
    init(_ keys: [String], published: [String: ClosedRange<Duration>] = [:], delay: Duration = .zero) {
        self.keys = keys
        (self.published, self.delay) = (published, delay)
        places = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        times = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Whether the item was published at least the delay after that time.
    func isPublished(_ key: String, after time: Duration) -> Bool {
        published[key].map { $0.lowerBound >= time + delay } ?? false
    }

    /// Whether the item was published at least the delay before that time.
    func isPublished(_ key: String, before time: Duration) -> Bool {
        published[key].map { $0.upperBound + delay <= time } ?? false
    }
}
