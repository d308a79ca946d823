#if Curl
/// The content codings of a reply's body (RFC 9110, section 8.4).
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

    /// The codings offered to the server: those that can be decoded.
    #if os(Linux)
    package static let offered = "gzip, deflate, br, zstd"
    #else
    package static let offered = "gzip, deflate"
    #endif
    /// Limits the number of codings, since each can expand its input many times.
    private static let maximumCount = 5

    /// The codings in the order in which the server applied them.
    private(set) var codings: [Coding] = []
    /// The reason the codings cannot be decoded; ignored when there is no body.
    private(set) var refusal: CurlError?

    package init() {}

    /// Appends the codings of a `Content-Encoding` field.
    package mutating func append(_ field: String) {
        for part in field.split(separator: ",") where refusal == nil {
            let name = part.filter { $0 != " " && $0 != "\t" }.lowercased()
            if name.isEmpty || name == "identity" { continue }
            if let coding = Coding(name) {
                codings.append(coding)
            } else {
                refusal = Self.refused("the reply's body has a coding other than \(Self.offered)")
            }
            if codings.count > Self.maximumCount {
                refusal = Self.refused("the reply's body has more than \(Self.maximumCount) codings")
            }
        }
    }

    /// Whether the body is not coded at all.
    var isIdentity: Bool { codings.isEmpty && refusal == nil }

    private static func refused(_ message: String) -> CurlError { CurlError(.protocol, message, wasSent: true) }
}
#endif
