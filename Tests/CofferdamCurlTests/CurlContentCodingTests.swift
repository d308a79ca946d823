#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// What a server may do with codings, and what the client requests.
@Suite(.timeLimit(.minutes(5)))
struct CurlContentCodingTests {
    private static let gzip = CodedSample.gzip

    private static func lists() -> [(field: String, body: [UInt8])] {
        let thrice = DeflateSamples.gzip(DeflateSamples.zlib(gzip))
        return [
            ("GZip", gzip), ("x-gzip", gzip), (" gzip ,\tidentity", gzip), (",gzip,", gzip),
            ("identity", CodedSample.content), ("", CodedSample.content), ("gzip, deflate, x-gzip", thrice),
            ("gzip\r\nContent-Encoding: deflate\r\ncontent-encoding: gzip", thrice),
        ]
    }

    @Test(arguments: lists().indices)
    func `Codings are decoded in the reverse of the order in which they are named`(index: Int) async throws {
        let (field, body) = Self.lists()[index]
        let server = try ScriptedServer { connection, _ in connection.reply(coded: body, field) }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            #expect(isSame(try await client.send(request).body, CodedSample.content))
            #expect(isSame(try await client.stream(request).body.collect(upTo: 1 << 20), CodedSample.content))
        }
    }

    @Test(arguments: [
        "compress", "gzip, secret", "gzip;q=1", Array(repeating: "gzip", count: 6).joined(separator: ","),
    ])
    func `An unknown coding, or one too many, is an error only with a body`(field: String) async throws {
        let server = try ScriptedServer { connection, request in
            switch request.path {
            case "/body": connection.reply(coded: Self.gzip, field)
            case "/empty": connection.reply(coded: [], field)
            case let path:
                let status = path.dropFirst()
                connection.send("HTTP/1.1 \(status) None\r\nContent-Encoding: \(field)\r\n\r\n")
            }
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: "\(server.url)/body")
            let whole = try await curlError { try await client.send(request) }
            let streamed = try await curlError { try await client.stream(request).body.collect(upTo: 1 << 20) }
            #expect(whole.code == .protocol && !whole.message.contains("secret"), "\(whole)")
            #expect(streamed == whole)
            for path in ["empty", "204", "304"] {
                let request = try HTTPRequest(.get, url: "\(server.url)/\(path)")
                #expect(try await client.send(request).body.isEmpty)
                #expect(try await client.stream(request).body.collect(upTo: 1).isEmpty)
            }
            let off = client.options.with { $0.decompresses = false }
            #expect(isSame(try await client.send(request, options: off).body, Self.gzip))
        }
    }

    @Test func `A reply without a body may say how it would be coded`() async throws {
        let server = try ScriptedServer { connection, request in
            if request.head.hasPrefix("HEAD") {
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 59\r\n\r\n")
            } else {
                connection.reply(coded: [], "gzip", hasLength: request.path == "/length")
            }
        }
        try await withClient { client in
            for (method, path) in [(HTTPRequest.Method.head, ""), (.get, "/length"), (.get, "/end")] {
                let request = try HTTPRequest(method, url: "\(server.url)\(path)")
                #expect(try await client.send(request).body.isEmpty)
                #expect(try await client.stream(request).body.collect(upTo: 1).isEmpty)
            }
        }
    }

    @Test func `A range is requested without a coding, and the caller's own header is kept`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            var request = try HTTPRequest(.get, url: server.url)
            _ = try await client.send(request)
            request.headerFields[.range] = "bytes=5-"
            _ = try await client.send(request)
            request.headerFields[.acceptEncoding] = "gzip;q=0.5"
            _ = try await client.send(request)
        }
        #if os(Linux)
        let offered = "gzip, deflate, br, zstd"
        #else
        let offered = "gzip, deflate"
        #endif
        #expect(server.log.requests.map { $0.header("Accept-Encoding") } == [offered, "identity", "gzip;q=0.5"])
    }

    @Test func `The size limit applies to the decoded body even if the coded one is larger`() async throws {
        let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let server = try ScriptedServer { connection, _ in
            connection.reply(coded: DeflateSamples.gzip(content), "gzip")
        }
        try await withClient(.defaults { $0.options.maximumBodySize = content.count }) { client in
            let request = try HTTPRequest(.get, url: server.url)
            #expect(isSame(try await client.send(request).body, content))
            let less = client.options.with { $0.maximumBodySize = content.count - 1 }
            let error = try await curlError { try await client.send(request, options: less) }
            #expect(error.code == .tooLarge)
        }
    }

    @Test(arguments: ["gzip, chunked", "gzip", "deflate"])
    func `An unrequested transfer coding is a protocol error`(coding: String) async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
            connection.send(
                coding.hasSuffix("chunked") ? Array("3b\r\n".utf8) + Self.gzip + Array("\r\n0\r\n\r\n".utf8) : Self.gzip
            )
            connection.end()
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let whole = try await curlError { try await client.send(request) }
            #expect(whole.code == .protocol && whole.wasSent == true, "\(whole)")
            let streamed = try await curlError { try await client.stream(request).body.collect(upTo: 1 << 20) }
            #expect(streamed.code == .protocol, "\(streamed)")
        }
    }

    #if os(Linux)
    @Test func `A zstd frame may take 8 MB of memory, and no more`() async throws {
        let server = try ScriptedServer { connection, request in
            let descriptor: UInt8 = request.path == "/8" ? 0x68 : 0x70
            let body = CodedSample.zstandardZeros(blocks: 2, windowDescriptor: descriptor)
            connection.reply(coded: body, "zstd")
        }
        try await withClient { client in
            let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/8"))
            #expect(reply.body.count == 256 << 10 && isEachByte(of: reply.body, 0))
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: "\(server.url)/16")) }
            #expect(error.code == .protocol)
        }
    }

    /// Frames that the library accepts or refuses depending on how the body is split. Found by the fuzzer.
    static let refusedFrames: [CodedSample] = {
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        let olderFormat: [UInt8] = [0x26, 0xB5, 0x2F, 0xFD, 0, 0xFF, 0xFF, 0]
        // 16 MB for one block of 256 bytes, and that length in the head.
        let largeWindow = magic + [0x40, 0x70, 0, 0, 3, 8, 0, 1]
        return [
            CodedSample("an older format of zstd's", "zstd", olderFormat),
            CodedSample("an older format after a frame", "zstd", CodedSample.zstandard + olderFormat),
            CodedSample("a window that is too large for its length", "zstd", largeWindow),
            CodedSample("a frame of no known kind", "zstd", [0x60, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]),
        ]
    }()

    @Test(arguments: refusedFrames)
    func `A frame beyond RFC 8878 or the memory limit is refused in any segmentation`(
        _ sample: CodedSample
    ) async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/whole" { return connection.reply(coded: sample.bytes, sample.coding) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(sample.coding)\r\n\r\n")
            for byte in sample.bytes { guard connection.send([byte]) else { return } }
            connection.end()
        }
        try await withClient { client in
            for path in ["whole", "slow"] {
                let request = try HTTPRequest(.get, url: "\(server.url)/\(path)")
                let error = try await curlError { try await client.send(request) }
                #expect(error.code == .protocol, "\(path): \(error)")
            }
        }
    }

    @Test func `Skippable frames are ignored anywhere`() async throws {
        let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let body = skipped + CodedSample.zstandard + skipped + skipped + CodedSample.zstandard + skipped
        let server = try ScriptedServer { connection, request in
            if request.path == "/whole" { return connection.reply(coded: body, "zstd") }
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n")
            for byte in body { guard connection.send([byte]) else { return } }
            connection.end()
        }
        try await withClient { client in
            for path in ["whole", "slow"] {
                let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/\(path)"))
                #expect(isSame(reply.body, CodedSample.content + CodedSample.content))
            }
        }
    }
    #endif
}
#endif
