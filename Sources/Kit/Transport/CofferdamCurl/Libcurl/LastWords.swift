#if Curl
/// An answer in full, from the bytes that a connection held when it was closed.
///
/// A server may answer before it has read the request, and close the connection. The reset that follows can arrive
/// between libcurl's look at the socket and its next write; libcurl then gives up without reading the answer (RFC 9112,
/// section 9.6).
struct LastWords {
    let reply: HeadParser.Known
    let body: [UInt8]

    /// Nil if the bytes are no HTTP/1 answer, or not all of one.
    init?(_ bytes: [UInt8], maximumHeadSize: Int) {
        let parser = HeadParser(maximumSize: maximumHeadSize)
        var rest = bytes[...]
        guard bytes.withUnsafeBytes({ HeadParser.isStatusLine($0) }) else { return nil }
        while parser.complete == nil {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let line = rest[...end]
            guard line.withUnsafeBytes({ (try? parser.take($0)) != nil }) else { return nil }
            rest = rest[(end + 1)...]
        }
        guard let reply = parser.complete else { return nil }
        self.reply = reply
        if reply.framing.isChunked {
            guard let body = Self.chunks(rest) else { return nil }
            self.body = body
        } else {
            // Without a length, the body ends with the connection.
            let length = reply.framing.length ?? rest.count
            guard rest.count >= length else { return nil }
            body = Array(rest.prefix(length))
        }
    }

    /// Nil if the last chunk is missing or the chunks are malformed (RFC 9112, section 7.1).
    private static func chunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var (rest, body) = (bytes, [UInt8]())
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end].prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\r") }
            guard (1...8).contains(line.count), line.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let size = Int(String(decoding: line, as: UTF8.self), radix: 16)
            else { return nil }
            if size == 0 { return body }
            let data = rest[(end + 1)...]
            guard data.count >= size + 2, data.dropFirst(size).starts(with: "\r\n".utf8) else { return nil }
            body += data.prefix(size)
            rest = data.dropFirst(size + 2)
        }
        return nil
    }
}
#endif
