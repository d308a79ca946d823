#if Curl
/// A checked URL: no byte in it can end a line, begin another component or carry credentials.
struct RequestTarget: Sendable {
    let scheme: String
    let authority: String
    let path: String

    init(scheme: String?, authority: String?, path: String?) throws(CurlError) {
        guard let scheme, scheme == "http" || scheme == "https" else {
            throw Self.refused("the scheme is neither http nor https")
        }
        guard let authority, !authority.isEmpty else { throw Self.refused("the URL names no host") }
        guard authority.utf8.allSatisfy(Self.isAuthorityByte) else {
            let holdsCredentials = authority.utf8.contains(UInt8(ascii: "@"))
            throw Self.refused(
                holdsCredentials ? "the URL holds credentials" : "the URL's host has a character that is not allowed"
            )
        }
        guard let path, path.utf8.first == UInt8(ascii: "/") else {
            throw Self.refused("the URL's path does not begin with a slash")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw Self.refused("the URL's path has a character that must be percent-encoded")
        }
        self.scheme = scheme
        self.authority = authority
        self.path = path
    }

    var url: String { "\(scheme)://\(authority)\(path)" }

    /// Appends the URL, followed by a NUL.
    func append(to wire: inout [UInt8]) {
        wire.append(text: scheme)
        wire.append(text: "://")
        wire.append(text: authority)
        wire.append(text: path)
        wire.append(0)
    }

    static func isAuthorityByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    private static func refused(_ message: String) -> CurlError {
        CurlError(.invalidRequest, message, wasSent: false)
    }
}

extension [UInt8] {
    /// Appends the text's UTF-8 at once.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
#endif
