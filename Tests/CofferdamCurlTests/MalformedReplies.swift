#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// Malformed replies, and their permitted results.
enum MalformedReplies {
    /// The permitted results of a reply: one of these errors, or the status and body that a careful reader sees.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var codes: [CurlError.Code] = []
        var reply: (status: Int, body: String)?
        var method = HTTPRequest.Method.get
        /// Whether the server ends the connection after it.
        var ends = false
        /// Whether bytes after the reply may arrive after the next request was sent, when they cannot be distinguished
        /// from its reply.
        var leavesBytes = false
        var testDescription: String { name }

        init(
            _ name: String,
            _ text: String,
            _ codes: [CurlError.Code] = [],
            reply: (Int, String)? = nil,
            method: HTTPRequest.Method = .get,
            ends: Bool = false,
            leavesBytes: Bool = false
        ) {
            self.name = name
            bytes = Array(text.utf8)
            self.codes = codes
            self.reply = reply.map { ($0.0, $0.1) }
            self.method = method
            self.ends = ends
            self.leavesBytes = leavesBytes
        }
    }

    static func ok(_ lines: String..., body: String = "") -> String {
        "HTTP/1.1 200 OK\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n" + body
    }

    static let chunked = "Transfer-Encoding: chunked"
    private static let hello = "5\r\nhello\r\n0\r\n\r\n"

    static let cases: [Case] = [
        Case("lengths that differ", ok("Content-Length: 5", "Content-Length: 6", body: "hello!"), [.protocol]),
        Case("lengths that differ, on one line", ok("Content-Length: 5, 6", body: "hello!"), [.protocol]),
        Case("lengths that agree", ok("Content-Length: 5", "Content-Length: 5", body: "hello"), reply: (200, "hello")),
        Case("a negative length", ok("Content-Length: -5", body: "hello"), [.protocol]),
        Case("a length with a sign", ok("Content-Length: +5", body: "hello"), [.protocol]),
        Case("a length in another base", ok("Content-Length: 0x5", body: "hello"), [.protocol]),
        Case("a length and more", ok("Content-Length: 5x", body: "hello"), [.protocol]),
        Case("no length", ok("Content-Length:", body: "hello"), [.protocol]),
        Case("a length that is none", ok("Content-Length: five", body: "hello"), [.protocol]),
        Case("a length over 64 bits", ok("Content-Length: 99999999999999999999999", body: "x"), [.protocol]),
        Case(
            "a length of 2⁶³ - 1",
            ok("Content-Length: 9223372036854775807", body: "x"),
            [.tooLarge, .truncated],
            ends: true
        ),
        Case("a length in two words", ok("Content-Length: 5 5", body: "hello"), [.protocol]),
        Case("a length with a blank in it", ok("Content-Length: 1 0", body: "hello56789"), [.protocol]),
        Case("a length with a tab in it", ok("Content-Length: 1\t0", body: "hello56789"), [.protocol]),
        Case("a length with a line end in it", ok("Content-Length: 5\r5", body: "hello"), [.protocol]),
        Case("a length that is none in a list", ok("Content-Length: 5,", body: "hello"), [.protocol]),
        Case("a length that begins a list with none", ok("Content-Length: ,5", body: "hello"), [.protocol]),
        Case("a list of lengths that agree", ok("Content-Length: 5, 5", body: "hello"), reply: (200, "hello")),
        Case("a length with blanks around it", ok("Content-Length: \t 5 \t", body: "hello"), reply: (200, "hello")),
        Case("a length with zeros before it", ok("Content-Length: 005", body: "hello"), reply: (200, "hello")),
        Case("a length in quotes", ok("Content-Length: \"5\"", body: "hello"), [.protocol]),
        Case("a length after a form feed", ok("Content-Length: \u{c}5", body: "hello"), [.protocol]),
        Case("a length continued on the next line", ok("Content-Length: 1", " 0", body: "hello56789"), [.protocol]),
        Case("a length and chunks", ok("Content-Length: 3", chunked, body: hello), [.protocol]),
        Case("chunks and a length", ok(chunked, "Content-Length: 3", body: hello), [.protocol]),
        Case("chunks and the length of all", ok(chunked, "Content-Length: 15", body: hello), [.protocol]),
        Case(
            "chunks and a length, apart by a status",
            ok("Content-Length: 3", "HTTP/1.1 200 OK", chunked, body: hello),
            [.protocol]
        ),
        Case("a second status", ok("X-A: b", "HTTP/1.1 204 No", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("chunks twice", ok("Transfer-Encoding: chunked, chunked", body: hello), [.protocol]),
        Case("chunks twice, on two lines", ok(chunked, chunked, body: hello), [.protocol]),
        Case("chunks as they are", ok("Transfer-Encoding: identity, chunked", body: hello), [.protocol]),
        Case("chunks as they are, on two lines", ok("Transfer-Encoding: identity", chunked, body: hello), [.protocol]),
        Case("chunks that are not the last", ok("Transfer-Encoding: chunked, identity", body: hello), [.protocol]),
        Case("no transfer coding", ok("Transfer-Encoding:", body: hello), [.protocol], ends: true),
        Case("no transfer coding before chunks", ok("Transfer-Encoding: , chunked", body: hello), [.protocol]),
        Case("a transfer coding alone", ok("Transfer-Encoding: identity", body: "hello"), [.protocol], ends: true),
        Case("a transfer coding not asked for", ok("Transfer-Encoding: gzip, chunked", body: hello), [.protocol]),
        Case("a transfer coding that is none", ok("Transfer-Encoding: xchunked", body: hello), [.protocol], ends: true),
        Case("chunks with a parameter", ok("Transfer-Encoding: chunked;q=1", body: hello), [.protocol]),
        Case("chunks after a tab of the other kind", ok("Transfer-Encoding: \u{b}chunked", body: hello), [.protocol]),
        Case("chunks before a blank and a colon", ok("Transfer-Encoding : chunked", body: hello), [.protocol]),
        Case("chunks in capitals", ok("TRANSFER-ENCODING: Chunked", body: hello), reply: (200, "hello")),
        Case("chunks of HTTP/1.0", "HTTP/1.0 200 OK\r\n\(chunked)\r\n\r\n\(hello)", [.protocol], ends: true),
        Case(
            "chunks of an interim head",
            "HTTP/1.1 103 Early\r\n\(chunked)\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            [.protocol]
        ),
        Case(
            "304 with chunks of what it stands for",
            "HTTP/1.1 304 Same\r\n\(chunked)\r\n\r\n",
            reply: (304, "")
        ),
        Case(
            "a negative length of no body",
            "HTTP/1.1 304 Same\r\nContent-Length: -5\r\n\r\n",
            [.protocol],
            reply: (304, "")
        ),
        Case("a chunk's size that is none", ok(chunked, body: "xyz\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk's size in another base", ok(chunked, body: "0x5\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk's size with a sign", ok(chunked, body: "+5\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk's size after a blank", ok(chunked, body: " 5\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk's size of 1 MB", ok(chunked, body: String(repeating: "0", count: 1 << 20)), [.protocol]),
        Case("a trailer without a colon", ok(chunked, body: "0\r\nno colon\r\n\r\n"), [.protocol]),
        Case("a trailer continued", ok(chunked, body: "0\r\nX-A: one\r\n two\r\n\r\n"), [.protocol], reply: (200, "")),
        Case(
            "a trailer of 1 MB",
            ok(chunked, body: "0\r\nX-A: \(String(repeating: "x", count: 1 << 20))\r\n\r\n"),
            [.tooLarge]
        ),
        Case(
            "trailers without end",
            ok(chunked, body: "0\r\n" + String(repeating: "a:b\r\n", count: 100_000)),
            [.tooLarge]
        ),
        Case("a negative chunk", ok(chunked, body: "-5\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk over 64 bits", ok(chunked, body: "FFFFFFFFFFFFFFFFFF\r\nhello\r\n"), [.protocol, .tooLarge]),
        Case(
            "a chunk of 2⁶³ - 1",
            ok(chunked, body: "7FFFFFFFFFFFFFFF\r\nhello"),
            [.truncated, .tooLarge],
            ends: true
        ),
        Case("a chunk longer than its size", ok(chunked, body: "3\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case("a chunk of no size", ok(chunked, body: "\r\nhello\r\n0\r\n\r\n"), [.protocol]),
        Case(
            "an extension of a chunk",
            ok(chunked, body: "5;name=\"value\"\r\nhello\r\n0\r\n\r\n"),
            reply: (200, "hello")
        ),
        Case("a header without a colon", ok("Content-Length: 2", "No colon", body: "ok"), [.protocol]),
        Case("a header without a name", ok("Content-Length: 2", ": value", body: "ok"), [.protocol]),
        Case("a blank before the colon of a length", ok("Content-Length : 2", body: "ok"), [.protocol]),
        Case("a blank before the colon", ok("X-A : one", "Content-Length: 2", body: "ok"), reply: (200, "ok")),
        Case("a blank in a name", ok("X A: one", "Content-Length: 2", body: "ok"), reply: (200, "ok")),
        Case("a name that is no token", ok("X(A)é: one", "Content-Length: 2", body: "ok"), reply: (200, "ok")),
        Case("a blank in a length's name", ok("Content Length: 5", "Content-Length: 2", body: "ok"), [.protocol]),
        Case(
            "a coding in another name",
            ok("Transfer_Encoding: chunked", "Content-Length: 2", body: "ok"),
            [.protocol]
        ),
        Case("chunks on a continued line", ok("Transfer-Encoding:", " chunked", body: hello), [.protocol]),
        Case("a continued blank line", ok("X-A: one", " ", "Content-Length: 2", body: "ok"), reply: (200, "ok")),
        Case(
            "a line continued",
            ok("X-A: one", " two", "Content-Length: 2", body: "ok"),
            reply: (200, "ok")
        ),
        Case(
            "a line continued, with a colon",
            ok("X-A: one", "\tb: two", "Content-Length: 2", body: "ok"),
            reply: (200, "ok")
        ),
        Case("a first line continued", ok(" X-A: one", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a NUL in a value", ok("X-A: o\u{0}ne", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a NUL in a name", ok("X\u{0}A: one", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a carriage return in a value", ok("X-A: o\rne", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a carriage return before a line's end", ok("X-A: one\r", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a carriage return before a name", ok("\rX-A: one", "Content-Length: 2", body: "ok"), [.protocol]),
        Case("a carriage return in a reason", "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("carriage returns for a blank line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\r\n", [.protocol]),
        Case("a line of 1 MB", ok("X-A: \(String(repeating: "x", count: 1 << 20))", "Content-Length: 0"), [.tooLarge]),
        Case("a status line of 1 MB", "HTTP/1.1 200 \(String(repeating: "x", count: 1 << 20))\r\n\r\n", [.tooLarge]),
        Case(
            "a line of 1 MB that has no end",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 1 << 20))",
            [.tooLarge]
        ),
        Case(
            "100,000 headers",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "a:b\r\n", count: 100_000) + "\r\n",
            [.tooLarge]
        ),
        Case(
            "a reply to HEAD with a body",
            ok("Content-Length: 5", body: "hello"),
            reply: (200, ""),
            method: .head,
            leavesBytes: true
        ),
        Case(
            "204 with a body",
            "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello",
            reply: (204, ""),
            leavesBytes: true
        ),
        Case(
            "204 with chunks",
            "HTTP/1.1 204 No\r\n\(chunked)\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            reply: (204, ""),
            leavesBytes: true
        ),
        Case(
            "304 with the length of what it stands for",
            "HTTP/1.1 304 Same\r\nContent-Length: 99999999999\r\n\r\n",
            reply: (304, "")
        ),
        Case("101 unasked", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", [.protocol]),
        Case("interim heads without end", String(repeating: "HTTP/1.1 100 Go on\r\n\r\n", count: 100_000), [.tooLarge]),
        Case(
            "an interim head and an end",
            "HTTP/1.1 100 Go on\r\n\r\n",
            [.connectionLost, .truncated, .protocol],
            ends: true
        ),
        Case("nothing", "", [.connectionLost], ends: true),
        Case("half a status line", "HTTP/1.", [.connectionLost, .protocol], ends: true),
        Case("half a head", "HTTP/1.1 200 OK\r\nX-A: on", [.connectionLost, .truncated, .protocol], ends: true),
        Case(
            "a head without its blank line",
            "HTTP/1.1 200 OK\r\nX-A: one\r\n",
            [.connectionLost, .truncated, .protocol],
            ends: true
        ),
        Case("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", [.protocol], ends: true),
        Case("another version", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("HTTP/1.0 without a length", "HTTP/1.0 200 OK\r\n\r\nhello", reply: (200, "hello"), ends: true),
        Case("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("a version that goes on", "HTTP/1.1x 200 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("a version in small letters", "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("no version", "HTTP 200 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("a blank before the version", " HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("a status with a sign", "HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n", [.protocol]),
        Case("line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", reply: (200, "hello")),
        Case("only line ends", String(repeating: "\r\n", count: 100_000), [.protocol, .tooLarge], ends: true),
        Case("zeros", String(repeating: "\u{0}", count: 100_000), [.protocol], ends: true),
        Case("bytes beyond ASCII in a value", ok("X-A: é🦒", "Content-Length: 2", body: "ok"), reply: (200, "ok")),
    ]
}
#endif
