#if Curl
import CofferdamCurl
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlDecompressionTests {
    static let text = Array(String(repeating: "All bytes are equal. ", count: 3000).utf8)

    static func reply(_ connection: ServerConnection, _ encoding: String, _ body: [UInt8]) {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n"
        connection.send(Array(head.utf8) + body)
    }

    @Test(arguments: ["gzip", "x-gzip", "deflate"])
    func `A compressed body is requested and decompressed`(encoding: String) async throws {
        let server = try ScriptedServer { connection, _ in
            Self.reply(
                connection,
                encoding,
                encoding == "deflate" ? DeflateSamples.zlib(Self.text) : DeflateSamples.gzip(Self.text)
            )
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let isSame = try await client.send(request).body.elementsEqual(Self.text)
            #expect(isSame)
            let stream = try await client.stream(request)
            let isSameAgain = try await stream.body.collect(upTo: Self.text.count) == Self.text
            #expect(isSameAgain)
            #expect(stream.head.headerFields[.contentEncoding] == encoding)
        }
        let asked = try #require(server.log.requests.first?.head.lowercased())
        #expect(asked.contains("\r\naccept-encoding:") && asked.contains("gzip") && asked.contains("deflate"))
    }

    @Test func `Without decompression no coding is requested, and the bytes are the server's`() async throws {
        let body = DeflateSamples.gzip(Self.text)
        let server = try ScriptedServer { connection, _ in Self.reply(connection, "gzip", body) }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            // An earlier decompression on the same handle must leave nothing behind.
            _ = try await client.send(request)
            let off = client.options.with { $0.decompresses = false }
            #expect(try await client.send(request, options: off).body.elementsEqual(body) == true)
            #expect(try await client.stream(request, options: off).body.collect(upTo: body.count) == body)
        }
        let heads = server.log.requests.map { $0.head.lowercased() }
        #expect(heads.map { $0.contains("accept-encoding") } == [true, false, false])
    }

    static let broken: [(name: String, bytes: [UInt8])] = {
        let good = DeflateSamples.gzip(text)
        var badSum = good
        badSum[good.count - 6] ^= 1
        var badBlock = good
        badBlock[DeflateSamples.gzipHead.count] = 7
        return [
            ("no gzip", Array("plain text, no gzip".utf8)), ("a block that is none", badBlock),
            ("a wrong checksum", badSum), ("a head that is none", [0x1F, 0x8B, 9] + good.dropFirst(3)),
        ]
    }()

    @Test(arguments: broken.indices)
    func `Invalid gzip is a protocol error`(index: Int) async throws {
        let server = try ScriptedServer { connection, _ in
            Self.reply(connection, "gzip", Self.broken[index].bytes)
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let whole = try await curlError { try await client.send(request) }
            #expect(whole.code == .protocol, "\(Self.broken[index].name): \(whole)")
            let streamed = try await curlError { try await client.stream(request).body.collect(upTo: 1 << 20) }
            #expect(streamed.code == .protocol, "\(Self.broken[index].name): \(streamed)")
        }
    }

    /// 1 KB of zeros for each byte, endlessly.
    static func bomb(_ connection: ServerConnection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        connection.send(DeflateSamples.gzipHead + DeflateSamples.bombHead)
        while connection.send(Array(repeating: 0, count: 64 << 10)) {}
    }

    static let bombs: [String: @Sendable (ServerConnection) -> Void] = {
        var bombs: [String: @Sendable (ServerConnection) -> Void] = ["gzip": bomb]
        #if os(Linux)
        bombs["zstd"] = { connection in
            connection.reply(coded: CodedSample.zstandardZeros(blocks: 100_000), "zstd")
        }
        #endif
        return bombs
    }()

    @Test(arguments: bombs.keys.sorted(), ["send", "collect", "download"])
    func `A decompression bomb is stopped at the maximum body size`(coding: String, how: String) async throws {
        let bomb = try #require(Self.bombs[coding])
        let server = try ScriptedServer { connection, _ in bomb(connection) }
        let reports = CurlProgressTests.Reports()
        let folder = try TestFolder()
        let limit = 5_000_000
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let options = reports.options.with { $0.maximumBodySize = limit }
            let error = try await curlError {
                switch how {
                case "send": _ = try await client.send(request, options: options)
                case "collect": _ = try await client.stream(request, options: options).body.collect(upTo: limit)
                default:
                    let path = "\(folder.path)/body"
                    _ = try await client.download(request, to: path, upTo: limit, options: options)
                }
            }
            #expect(error.code == .tooLarge && error.wasSent == true, "\(error)")
        }
        await server.until { $0.closedByClient == 1 || $0.finished == 1 }
        // Twice the buffer's limit, decoded and waiting, plus what libcurl reads at once.
        let received = try #require(reports.all.last).received
        #expect(received <= 2 * CurlConfiguration().streamBufferSize + 512 << 10, "\(received) bytes")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    #if os(Linux)
    @Test func `A decompression bomb uses as much memory as its consumer is behind, and no more`() async throws {
        let server = try ScriptedServer { connection, _ in Self.bomb(connection) }
        // In its own process: all tests share the memory.
        await #expect(processExitsWith: .success) { [url = server.url as String] in
            try await withClient { client in
                let before = ProcessCensus.residentMemory
                let stream = try await client.stream(HTTPRequest(.get, url: url))
                var blocks = stream.body.makeAsyncIterator()
                var received = 0
                while received < 64 << 20 {
                    let block = try #require(try await blocks.next())
                    #expect(isEachByte(of: block, 0), "other bytes")
                    received += block.count
                    // The loop has time to run ahead.
                    for _ in 0..<5 { _ = await client.census() }
                }
                let growth = (ProcessCensus.peakMemory - before) >> 20
                // The buffer, a block, and malloc's share.
                #expect(growth < 16 || ProcessCensus.keepsFreedMemory, "grew by \(growth) MB")
            }
        }
    }
    #endif
}
#endif
