/// How a reply's body is coded (RFC 9110, section 8.4).
package struct ContentCodings: Sendable, Hashable {
    enum Coding: Sendable, Hashable {
        case gzip, deflate
        #if os(Linux)
            case brotli, zstandard
        #endif

        init?(_ name: String) {
            switch name {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            #if os(Linux)
                case "br": self = .brotli
                case "zstd": self = .zstandard
            #endif
            default: return nil
            }
        }
    }

    /// What a server is offered: the codings that can be undone.
    #if os(Linux)
        package static let offered = "gzip, deflate, br, zstd"
    #else
        package static let offered = "gzip, deflate"
    #endif
    /// Each of them can make much of little.
    private static let maximumCount = 5

    /// In the order in which they were applied.
    private(set) var codings: [Coding] = []
    /// Why they cannot be undone; no matter when there is no body.
    private(set) var refusal: CurlError?

    package init() {}

    /// Appends what a `Content-Encoding` field names.
    package mutating func append(_ field: String) {
        for part in field.split(separator: ",") where refusal == nil {
            let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            if name.isEmpty || name == "identity" { continue }
            if let coding = Coding(name) {
                codings.append(coding)
            } else {
                refusal = Self.refused("the reply's body has a coding that is none of \(Self.offered)")
            }
            if codings.count > Self.maximumCount {
                refusal = Self.refused("the reply's body has more than \(Self.maximumCount) codings")
            }
        }
    }

    /// Refuses transfer codings other than chunks: a server applies them only where they are asked for (RFC 9112, section
    /// 7.4). libcurl would undo them on the loop, and take a body that is cut short for whole.
    static func check(transferEncoding field: String) throws(CurlError) {
        for part in field.split(separator: ",") {
            let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            guard ["", "chunked", "identity"].contains(name) else {
                throw refused("the reply's body has a transfer coding that was not asked for")
            }
        }
    }

    /// Whether the body is as it was before anything was done to it.
    var areNone: Bool { codings.isEmpty && refusal == nil }

    private static func refused(_ message: String) -> CurlError { CurlError(.protocol, message, wasSent: true) }
}
