import Cofferdam
import CofferdamSupport
import CofferdamStand
import Testing

@Suite("Framings", .timeLimit(.minutes(1)))
struct FramingTests {
    struct Stream: Sendable, CustomTestStringConvertible {
        let name: String
        let framing: any Framing
        let requests: [(text: String, operation: String)]
        let replies: [(text: String, request: String?)]
        var testDescription: String { name }

        func requestParser() -> any FrameParser {
            var framing = framing
            return framing.requestParser()
        }

        func replyParser(to request: [UInt8]?) -> any FrameParser {
            var framing = framing
            return framing.replyParser(to: request)
        }

        func operation(of request: [UInt8]) throws -> String {
            var framing = framing
            return try framing.operation(of: request)
        }
    }

    static let streams = [
        Stream(
            name: "lines",
            framing: LineFraming(),
            requests: [("get a\n", "get"), ("\n", ""), ("set\ta 1\r\n", "set"), ("quit\r\n", "quit")],
            replies: [("1\n", "get a\n"), ("\n", "\n"), ("hello\r\n", nil)]
        ),
        Stream(
            name: "lines with replies of several",
            framing: LineFraming { $0 == Array("END".utf8) },
            requests: [("get a b\r\n", "get")],
            replies: [("VALUE a\r\n1\r\nEND\r\n", "get a b\r\n"), ("END\n", "get c\r\n")]
        ),
        Stream(
            name: "RESP",
            framing: RESPFraming(),
            requests: [
                ("*1\r\n$4\r\nping\r\n", "PING"), ("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\n\r\n\r\n\r\n", "SET"),
                ("*2\r\n$3\r\nget\r\n$0\r\n\r\n", "GET"), ("ping hello\r\n", "PING"), ("QUIT\n", "QUIT"),
            ],
            replies: [
                ("+OK\r\n", "*1\r\n$1\r\na\r\n"), ("-ERR no\r\n", "a\r\n"), (":12\r\n", "a\r\n"), ("$-1\r\n", "a\r\n"),
                ("$4\r\n\r\n\r\n\r\n", "a\r\n"), ("*-1\r\n", "a\r\n"), ("*0\r\n", "a\r\n"),
                ("*2\r\n*2\r\n:1\r\n$1\r\na\r\n$-1\r\n", "a\r\n"), ("%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n_\r\n", "a\r\n"),
                ("|1\r\n+ttl\r\n:1\r\n+value\r\n", "a\r\n"), ("=5\r\ntxt:a\r\n", "a\r\n"), (",1.5\r\n", "a\r\n"),
                ("~1\r\n#t\r\n", "a\r\n"), ("(123456789012345678901234567890\r\n", "a\r\n"), ("!3\r\nERR\r\n", "a\r\n"),
                (">2\r\n+news\r\n+a\r\n+OK\r\n", "a\r\n"), (">0\r\n", nil), ("+hello\r\n", nil),
                ("*1\r\n:1\r\n*1\r\n:2\r\n", "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n$1\r\nb\r\n"),
                (">1\r\n:1\r\n>1\r\n:2\r\n", "SUBSCRIBE a b\r\n"), ("*1\r\n:1\r\n", "UNSUBSCRIBE\r\n"),
            ]
        ),
        Stream(
            name: "HTTP",
            framing: HTTPFraming(routes: ["GET /animals/{id}", "POST /animals"]),
            requests: [
                ("GET /animals/7?a=b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /animals/{id}"),
                ("POST /animals HTTP/1.1\r\ncontent-length:  5\r\n\r\nhello", "POST /animals"),
                ("PUT /a/b HTTP/1.0\r\nContent-Length: 0\r\n\r\n", "PUT /a/b"),
                (
                    "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
                    "POST /b"
                ),
            ],
            replies: [
                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "GET / HTTP/1.1\r\n\r\n"),
                ("HTTP/1.1 204 No Content\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
                ("HTTP/1.1 200\r\nContent-Length: 9\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n"),
                ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
                (
                    "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
                    "GET / HTTP/1.1\r\n\r\n"
                ),
                ("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", nil),
            ]
        ),
    ]

    @Test("A frame's end is found, however its bytes are split", arguments: streams)
    func frames(_ stream: Stream) throws {
        for seed in 0..<60 {
            var dice = SplitMix64(seed: UInt64(seed))
            // All at once, then byte by byte, then in random pieces.
            let maxPiece = seed == 0 ? Int.max : seed == 1 ? 1 : 9
            let requests = try lengths(
                of: stream.requests.map { text, _ in (text, parser: { stream.requestParser() }) },
                piece: maxPiece,
                &dice
            )
            #expect(requests == stream.requests.map(\.text.utf8.count), "seed \(seed)")
            let replies = try lengths(
                of: stream.replies.map { text, request in
                    (text, parser: { stream.replyParser(to: request.map { Array($0.utf8) }) })
                },
                piece: maxPiece,
                &dice
            )
            #expect(replies == stream.replies.map(\.text.utf8.count), "seed \(seed)")
        }
        for (text, operation) in stream.requests {
            #expect(try stream.operation(of: Array(text.utf8)) == operation)
        }
    }

    /// Returns the length of each frame of a stream that arrives in pieces.
    private func lengths(
        of frames: [(text: String, parser: () -> any FrameParser)],
        piece maxPiece: Int,
        _ dice: inout SplitMix64
    ) throws -> [Int] {
        var rest = Array(frames.map(\.text).joined().utf8)[...]
        var available = 0
        return try frames.map { _, make in
            var (parser, length) = (make(), 0)
            while true {
                if available == 0 {
                    try #require(!rest.isEmpty)
                    available =
                        maxPiece == .max ? rest.count : Int.random(in: 1...min(maxPiece, rest.count), using: &dice)
                }
                let end = try parser.parse(rest.prefix(available))
                let taken = end ?? available
                rest = rest.dropFirst(taken)
                available -= taken
                length += taken
                if end != nil { return length }
            }
        }
    }

    @Test(
        "A command that breaks RESP is refused",
        arguments: [
            ("*1\r\n:1\r\n", "starts with byte 58"), ("*0\r\n", "an empty command"), ("*-1\r\n", "not a number"),
            ("*a\r\n", "not a number"), ("*1\r\n$-5\r\n", "not a number"),
            ("*1\r\n$1\r\nabc\r\n", "longer than it says"),
            ("*99999999999999999999999999999\r\n", "not a number"), ("\r\n", "starts with byte 13"),
            ("*9999999999\r\n", "9999999999 values"), ("|1\r\n", "starts with byte 124"),
        ]
    )
    func badCommands(text: String, reason: String) {
        refused(RESPFraming().requestParser(), text, reason)
    }

    @Test(
        "A reply that breaks RESP is refused",
        arguments: [
            ("hello\r\n", "byte 104"), ("$x\r\n", "not a number"), ("*2\r\n:1\r\nx", "byte 120"),
            ("$1\r\nabc", "longer"),
            ("%999999999999999\r\n", "values in one reply"), ("$?\r\n", "not a number"),
        ]
    )
    func badReplies(text: String, reason: String) {
        refused(RESPFraming().replyParser(to: Array("a\r\n".utf8)), text, reason)
    }

    @Test(
        "A request that breaks HTTP is refused",
        arguments: [
            ("GET\r\n", "a malformed request line"), ("GET / HTTP/2\r\n", "a malformed request line"),
            ("GET / HTTP/1.1\r\nHost\r\n", "without a name"), ("GET / HTTP/1.1\r\n: a\r\n", "without a name"),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n", "not a number"),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", "not a number"),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "two lengths"),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "two lengths"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n", "a transfer encoding other than chunked"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "a chunk's size"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "a chunk's size"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", "a chunk's size"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "longer than it says"),
            ("GET /\(String(repeating: "a", count: 70_000))", "a head of more than 65536 bytes"),
        ]
    )
    func badRequests(text: String, reason: String) {
        refused(HTTPFraming().requestParser(), text, reason)
        #expect(throws: (any Error).self) { try HTTPFraming().operation(of: Array("GET\r\n".utf8)) }
    }

    @Test("A request's operation may be in its body, with chunks or without")
    func operationInTheBody() throws {
        let framing = HTTPFraming(classify: { "\($0.path) \(String(decoding: $0.body, as: UTF8.self))" })
        let whole = "POST /token?a=1 HTTP/1.1\r\nContent-Length: 7\r\n\r\nrefresh"
        let chunked = "POST /token HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nrefr\r\n3\r\nesh\r\n0\r\n\r\n"
        for request in [whole, chunked] { #expect(try framing.operation(of: Array(request.utf8)) == "/token refresh") }
        #expect(try framing.operation(of: Array("GET /a HTTP/1.1\r\n\r\n".utf8)) == "/a ")
    }

    @Test("A reply that breaks HTTP is refused", arguments: ["HTTP/1.1\r\n", "ICY 200 OK\r\n", "HTTP/1.1 2x0 OK\r\n"])
    func badStatusLines(text: String) {
        refused(HTTPFraming().replyParser(to: nil), text, "a malformed status line")
    }

    /// Checks that the parser refuses the text, in one piece and byte by byte.
    private func refused(_ parser: any FrameParser, _ text: String, _ reason: String) {
        let bytes = Array(text.utf8)
        for pieces in [[bytes[...]], bytes.indices.map { bytes[$0...$0] }] {
            var (parser, error) = (parser, "")
            do {
                for piece in pieces { if try parser.parse(piece) != nil { break } }
            } catch let malformed { error = "\(malformed)" }
            #expect(error.contains(reason))
        }
    }

    @Test("Random bytes and corrupted frames trap no parser", arguments: streams)
    func nothingTraps(_ stream: Stream) {
        let samples = stream.requests.map(\.text) + stream.replies.map(\.text)
        for seed in 0..<4_000 {
            var dice = SplitMix64(seed: UInt64(seed))
            var bytes = Array(samples[seed % samples.count].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &dice) where !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &dice) ?? 0
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[index] = .random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes.randomElement(using: &dice) ?? 0, at: index)
                }
            }
            for make in [{ stream.requestParser() }, { stream.replyParser(to: bytes) }] {
                var parser = make()
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...7, using: &dice))
                    let end: Int?
                    do { end = try parser.parse(piece) } catch { break }
                    if let end {
                        #expect((1...piece.count).contains(end))
                        break
                    }
                    rest = rest.dropFirst(piece.count)
                }
            }
            _ = try? stream.operation(of: bytes)
        }
    }
}
