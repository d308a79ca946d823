import ArgumentParser

/// A client that the transport suite measures.
enum TransportClient: String, CaseIterable, ExpressibleByArgument {
    /// C over libcurl's multi interface: reused handles, options set once, a separate buffer for each body.
    case c
    /// The same with a reset, a safe wrapper's options and new headers for each request: a fair lower bound for a
    /// wrapper.
    case cFloor = "c-floor"
    /// `c-floor` with its callers on a second thread: a fair lower bound for a client whose callers are not on its loop.
    case cHandover = "c-handover"
    /// `c` with a malloc that keeps large blocks.
    case cTuned = "c-tuned"
    /// CurlClient, with callers on Swift's own pool.
    case `default`
    /// CurlClient, with callers on the loop's thread.
    case onLoop = "onloop"
    case urlSession = "urlsession"
    case asyncHTTPClient = "ahc"

    static let ours: [Self] = [.default, .onLoop]
    /// The bases; the first one measured is the base of the others.
    static let bases: [Self] = [.c, .cFloor, .cHandover, .cTuned, .asyncHTTPClient, .urlSession]

    /// The executable of which this is a variant.
    var product: String {
        switch self {
        case .c, .cFloor, .cHandover, .cTuned: "load-c"
        case .default, .onLoop: "load-cofferdam"
        case .urlSession: "load-urlsession"
        case .asyncHTTPClient: "load-ahc"
        }
    }

    /// Whether it only serves figures where malloc matters.
    var isForLargeBodies: Bool { self == .cTuned }

    /// Whether a waiting request can be cancelled from another task.
    var cancels: Bool { product != Self.c.product }

    /// Whether a download differs from that of the client of which this is a variant.
    var streams: Bool { product != Self.c.product || self == .c }
}
