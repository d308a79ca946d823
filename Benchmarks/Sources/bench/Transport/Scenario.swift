/// Replies of one size, at one concurrency, over one kind of connection.
struct Scenario: Hashable {
    enum Connection: Hashable {
        /// HTTP/1.1 without TLS, kept alive: one connection for each request in flight.
        case kept
        /// HTTP/2 over TLS, all requests on one connection.
        case shared
        /// HTTP/1.1 over TLS, a new connection with a full handshake for each request.
        case fresh
        /// As `fresh`, from a server whose session tickets a client may use.
        case resumed
    }

    let connection: Connection
    let body: String
    let size: Int
    let concurrency: Int

    static let all =
        [("2KB", 2 << 10), ("200KB", 200 << 10)].flatMap { body, size in
            [1, 16, 64].map { Scenario(connection: .kept, body: body, size: size, concurrency: $0) }
        } + [
            Scenario(connection: .shared, body: "2KB", size: 2 << 10, concurrency: 64),
            Scenario(connection: .fresh, body: "2KB", size: 2 << 10, concurrency: 1),
            Scenario(connection: .resumed, body: "2KB", size: 2 << 10, concurrency: 1),
        ]

    var name: String {
        switch connection {
        case .kept: "\(body).c\(concurrency)"
        case .shared: "h2.\(body).c\(concurrency)"
        case .fresh: "tls.\(body).c\(concurrency)"
        case .resumed: "tls.resumed.\(body).c\(concurrency)"
        }
    }

    var title: String {
        switch connection {
        case .kept: "\(body), \(concurrency) at once"
        case .shared: "\(body), \(concurrency) at once, HTTP/2"
        case .fresh: "\(body), new TLS connections"
        case .resumed: "\(body), new TLS connections, tickets"
        }
    }

    var rate: Samples.Figure { .init(name: "rps.\(name)", unit: "1/s") }
    var median: Samples.Figure { .init(name: "p50.\(name)", unit: "µs") }
    var tail: Samples.Figure { .init(name: "p99.\(name)", unit: "µs") }
    /// The user and system time of the whole process per request.
    var processor: Samples.Figure { .init(name: "cpu.\(name)", unit: "µs") }
    var peak: Samples.Figure { .init(name: "peak.\(name)", unit: "MB") }
    var allocations: Samples.Figure { .init(name: "alloc.\(name)", unit: "blocks", isShort: true) }

    /// The numbers of requests of the two counted runs; their difference excludes the cost of starting.
    var counts: (few: Int, many: Int) {
        if connection == .fresh || connection == .resumed { return (64, 320) }
        return size > 100_000 ? (256, 1280) : (640, 3840)
    }

    func measures(_ client: TransportClient) -> Bool {
        if client.isForLargeBodies, size <= 100_000 { return false }
        // On Linux, URLSession takes no certificate authority.
        return connection == .kept || client != .urlSession
    }
}

/// A download of 256 MB, with a consumer that keeps up and one that does not.
enum Download {
    static let body = "256MB"
    static let size = 256 << 20
    /// The pause of the slow consumer after each MB, in milliseconds.
    static let pause = 10

    static let speed = Samples.Figure(name: "stream.256MB.GBps", unit: "GB/s", isShort: true)
    static let processor = Samples.Figure(name: "stream.256MB.cpu", unit: "ms", isShort: true)
    /// The peak memory with the slow consumer.
    static let peak = Samples.Figure(name: "stream.256MB.peakMB", unit: "MB", isShort: true)
}

/// A thousand requests to a silent server, cancelled.
enum Cancellation {
    static let count = 1000

    /// Cancelled one after the other.
    static let tail = Samples.Figure(name: "cancel.p99ms", unit: "ms", isShort: true)
    static let median = Samples.Figure(name: "cancel.p50ms", unit: "ms", isShort: true)
    /// Cancelled all at once.
    static let burst = Samples.Figure(name: "cancel.burst.p99ms", unit: "ms", isShort: true)
}
