#if Curl
import HTTPTypes

/// The body framing announced by a head (RFC 9112, sections 6.1 to 6.3).
///
/// libcurl takes the last length and only its leading digits, and ignores unknown transfer codings. A proxy that reads
/// them differently would see the next reply begin elsewhere.
struct Framing {
    /// The announced length, in bytes.
    private(set) var length: Int?
    private(set) var isChunked = false

    private static let names = ["content-length", "transfer-encoding"]

    /// Whether a line's name, as it is written, is that of a field that libcurl reads the framing from.
    static func isField(_ name: ArraySlice<UInt8>) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.lazy.map(lowercased)) }
    }

    /// Whether a name has the letters of such a field, with anything between them.
    static func resembles(_ name: ArraySlice<UInt8>) -> Bool {
        let letters = name.lazy.map(lowercased).filter((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
        return names.contains { $0.utf8.lazy.filter { $0 != UInt8(ascii: "-") }.elementsEqual(letters) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// - Throws: `protocol` for an invalid length, for two that differ, and for any transfer coding except a single
    ///   `chunked`, as no other was requested.
    mutating func take(_ field: HTTPField) throws(CurlError) {
        switch field.name {
        case .contentLength: try take(length: field.value)
        case .transferEncoding:
            guard !isChunked, field.value.lowercased() == "chunked" else {
                throw CurlError(.protocol, "the reply's Transfer-Encoding is not chunked alone")
            }
            isChunked = true
        default: break
        }
    }

    /// Takes one length, or the same one again.
    private mutating func take(length value: String) throws(CurlError) {
        for part in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let digits = Self.withoutBlanks(part)
            guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let found = Int(String(decoding: digits, as: UTF8.self))
            else { throw CurlError(.protocol, "the reply's Content-Length is invalid") }
            guard length == nil || length == found else {
                throw CurlError(.protocol, "the reply's Content-Lengths differ")
            }
            length = found
        }
    }

    /// Checks the framing of a complete head.
    ///
    /// - Throws: `protocol` for chunks combined with a length, and for chunks where the status or version does not
    ///   allow them.
    func check(_ status: HTTPResponse.Status, version: String) throws(CurlError) {
        guard isChunked else { return }
        if length != nil {
            throw CurlError(.protocol, "the reply has both a Transfer-Encoding and a Content-Length")
        }
        if version != "1.1" || status.kind == .informational {
            throw CurlError(.protocol, "the reply has a Transfer-Encoding where none is allowed")
        }
    }

    private static func withoutBlanks(_ part: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = part
        while let first = rest.first, isBlank(first) { rest.removeFirst() }
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
#endif
