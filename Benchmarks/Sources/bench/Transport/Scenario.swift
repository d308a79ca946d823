/// Replies of one size, at one concurrency.
struct Scenario: Hashable {
    let body: String
    let size: Int
    let concurrency: Int

    static let all = [("2KB", 2 << 10), ("200KB", 200 << 10)].flatMap { body, size in
        [1, 16, 64].map { Scenario(body: body, size: size, concurrency: $0) }
    }

    var name: String { "\(body).c\(concurrency)" }

    var rate: Samples.Figure { .init(name: "rps.\(name)", unit: "1/s") }
    var median: Samples.Figure { .init(name: "p50.\(name)", unit: "µs") }
    var tail: Samples.Figure { .init(name: "p99.\(name)", unit: "µs") }
    /// User and system time of the whole process for each request.
    var processor: Samples.Figure { .init(name: "cpu.\(name)", unit: "µs") }
    var peak: Samples.Figure { .init(name: "peak.\(name)", unit: "MB") }
    var allocations: Samples.Figure { .init(name: "alloc.\(name)", unit: "blocks", isShort: true) }

    /// How many requests the two counted runs send: their difference leaves out what the start costs.
    var counts: (few: Int, many: Int) { size > 100_000 ? (256, 1280) : (640, 3840) }
}

/// One download of 256 MB, with a consumer that keeps up and one that does not.
enum Download {
    static let body = "256MB"
    static let size = 256 << 20
    /// What the slow consumer pauses after each MB, in milliseconds.
    static let pause = 10

    static let speed = Samples.Figure(name: "stream.256MB.GBps", unit: "GB/s", isShort: true)
    static let processor = Samples.Figure(name: "stream.256MB.cpu", unit: "ms", isShort: true)
    /// With the slow consumer.
    static let peak = Samples.Figure(name: "stream.256MB.peakMB", unit: "MB", isShort: true)
}

/// A thousand requests at a silent server, given up.
enum Cancellation {
    static let count = 1000

    /// One after the other.
    static let tail = Samples.Figure(name: "cancel.p99ms", unit: "ms", isShort: true)
    static let median = Samples.Figure(name: "cancel.p50ms", unit: "ms", isShort: true)
    /// All at once.
    static let burst = Samples.Figure(name: "cancel.burst.p99ms", unit: "ms", isShort: true)
}
