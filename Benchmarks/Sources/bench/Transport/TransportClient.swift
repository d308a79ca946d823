import ArgumentParser

/// A client that the transport suite measures.
enum TransportClient: String, CaseIterable, ExpressibleByArgument {
    /// C over libcurl's multi interface: reused handles, options set once, a buffer of its own for each body.
    case c
    /// The same with a reset, the options of a safe wrapper and fresh headers on each request: a wrapper's fair floor.
    case cFloor = "c-floor"
    /// `c` with a malloc that keeps large blocks.
    case cTuned = "c-tuned"
    /// CurlClient, its callers on Swift's own pool.
    case `default`
    /// CurlClient, its callers on the loop's thread.
    case onLoop = "onloop"
    case urlSession = "urlsession"
    case asyncHTTPClient = "ahc"

    static let ours: [Self] = [.default, .onLoop]
    /// The first that was measured too is the base of the bases.
    static let bases: [Self] = [.c, .cFloor, .cTuned, .asyncHTTPClient, .urlSession]

    /// The executable that it is a variant of.
    var product: String {
        switch self {
        case .c, .cFloor, .cTuned: "load-c"
        case .default, .onLoop: "load-cofferdam"
        case .urlSession: "load-urlsession"
        case .asyncHTTPClient: "load-ahc"
        }
    }

    /// Whether figures where malloc matters are all that it is for.
    var isForLargeBodies: Bool { self == .cTuned }

    /// Whether a waiting request can be given up from another task.
    var cancels: Bool { ![.c, .cFloor, .cTuned].contains(self) }

    /// Whether a download differs from that of the client it is a variant of.
    var streams: Bool { ![.cFloor, .cTuned].contains(self) }
}
