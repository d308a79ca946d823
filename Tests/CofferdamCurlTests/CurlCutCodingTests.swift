#if Curl
import Cofferdam
import CofferdamCurl
import Foundation
import HTTPTypes
import InMemoryTracing
import Testing
import Tracing

/// A body that ends within its coding, or continues after it, is not complete.
@Suite(.timeLimit(.minutes(5)))
struct CurlCutCodingTests {
    /// Answers with as many of the sample's bytes as the path says.
    static func server(cutting sample: CodedSample, hasLength: Bool = true) throws -> ScriptedServer {
        try ScriptedServer { connection, request in
            let count = Int(request.path.dropFirst()) ?? 0
            connection.reply(coded: Array(sample.bytes.prefix(count)), sample.coding, hasLength: hasLength)
        }
    }

    @Test(arguments: CodedSample.all)
    func `A body that is truncated anywhere within its coding is refused, whole or streamed`(_ sample: CodedSample)
        async throws
    {
        let server = try Self.server(cutting: sample)
        try await withClient { client in
            for count in 1..<sample.bytes.count {
                let request = try HTTPRequest(.get, url: "\(server.url)/\(count)")
                let whole = try await curlError { try await client.send(request) }
                #expect(whole.code == .protocol && whole.wasSent == true, "\(count): \(whole)")
                let streamed = try await curlError { try await client.stream(request).body.collect(upTo: 1 << 20) }
                #expect(streamed.code == .protocol && streamed.wasSent == true, "\(count): \(streamed)")
            }
            let request = try HTTPRequest(.get, url: "\(server.url)/\(sample.bytes.count)")
            #expect(isSame(try await client.send(request).body, CodedSample.content))
            #expect(isSame(try await client.stream(request).body.collect(upTo: 1 << 20), CodedSample.content))
        }
    }

    @Test(arguments: CodedSample.all)
    func `A download that is truncated within its coding leaves the old file, and no temporary one`(
        _ sample: CodedSample
    ) async throws {
        let server = try Self.server(cutting: sample)
        let folder = try TestFolder()
        try folder.write("before", to: "body")
        try await withClient { client in
            let path = "\(folder.path)/body"
            for count in [1, sample.bytes.count / 2, sample.bytes.count - 1] {
                let request = try HTTPRequest(.get, url: "\(server.url)/\(count)")
                let error = try await curlError { try await client.download(request, to: path) }
                #expect(error.code == .protocol, "\(count): \(error)")
                #expect(try folder.read("body") == "before")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["body"])
            }
            let request = try HTTPRequest(.get, url: "\(server.url)/\(sample.bytes.count)")
            _ = try await client.download(request, to: path)
            #expect(try Array(folder.read("body").utf8) == CodedSample.content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["body"])
        }
    }

    @Test(arguments: CodedSample.all, [true, false])
    func `Events and lines truncated within their coding are delivered, then the error`(
        _ sample: CodedSample,
        hasLength: Bool
    ) async throws {
        let server = try Self.server(cutting: sample, hasLength: hasLength)
        try await withClient { client in
            for count in [1, sample.bytes.count - 3, sample.bytes.count - 1, sample.bytes.count] {
                let isCut = count < sample.bytes.count
                let request = try HTTPRequest(.get, url: "\(server.url)/\(count)")
                var events: [ServerSentEvent] = []
                do {
                    for try await event in try await client.stream(request).body.serverSentEvents {
                        events.append(event)
                    }
                    #expect(!isCut, "cut to \(count)")
                    #expect(events.count == 40)
                } catch let error as CurlError {
                    #expect(isCut && error.code == .protocol, "\(count): \(error)")
                }
                #expect(events.allSatisfy { $0.data == "All bytes are equal." })

                var lines = 0
                do {
                    for try await _ in try await client.stream(request).body.lines() { lines += 1 }
                    #expect(!isCut, "cut to \(count)")
                    #expect(lines == 40)
                } catch let error as CurlError {
                    #expect(isCut && error.code == .protocol, "\(count): \(error)")
                }
                // Only the checksums at the end are missing.
                if sample.coding == "gzip", count > 50 { #expect(lines == 40 && events.count == 40) }
            }
        }
    }

    @Test(arguments: CodedSample.all)
    func `Bytes after the coding's end are a protocol error`(_ sample: CodedSample) async throws {
        // Some servers send the matching checksum after a raw deflate body.
        let isRaw = sample.bytes == CodedSample.rawDeflate
        let gate = Gate()
        let server = try ScriptedServer { connection, request in
            let body = sample.bytes + Array("bytes".utf8)
            if request.path == "/whole" { return connection.reply(coded: body, sample.coding) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(sample.coding)\r\n\r\n")
            connection.send(sample.bytes)
            gate.block()
            connection.send("bytes")
            connection.end()
        }
        try await withClient { client in
            let whole = try await curlError {
                try await client.send(HTTPRequest(.get, url: "\(server.url)/whole"))
            }
            #expect(whole.code == .protocol && whole.wasSent == true, "\(whole)")
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var blocks = stream.body.makeAsyncIterator()
            var received = 0
            while received < CodedSample.content.count { received += try #require(try await blocks.next()).count }
            gate.open()
            let streamed = try await curlError { try await blocks.next() }
            #expect(streamed.code == .protocol, "\(streamed)")
            let again = try await curlError { try await blocks.next() }
            #expect(again == streamed)

            if isRaw {
                let server = try ScriptedServer { connection, _ in
                    connection.reply(coded: sample.bytes + [1, 2, 3, 4], sample.coding)
                }
                #expect(isSame(try await client.send(HTTPRequest(.get, url: server.url)).body, CodedSample.content))
            }
        }
    }

    @Test func `A body of several members or frames is one body`() async throws {
        var samples = [CodedSample("gzip", "gzip", CodedSample.gzip)]
        #if os(Linux)
        samples.append(CodedSample("zstd", "zstd", CodedSample.zstandard))
        #endif
        for sample in samples {
            let server = try ScriptedServer { connection, request in
                let body = sample.bytes + sample.bytes + sample.bytes
                if request.path == "/whole" { return connection.reply(coded: body, sample.coding) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(sample.coding)\r\n\r\n")
                for byte in body { guard connection.send([byte]) else { return } }
                connection.end()
            }
            let expected = CodedSample.content + CodedSample.content + CodedSample.content
            try await withClient { client in
                for path in ["whole", "slow"] {
                    let request = try HTTPRequest(.get, url: "\(server.url)/\(path)")
                    #expect(isSame(try await client.send(request).body, expected))
                    #expect(isSame(try await client.stream(request).body.collect(upTo: 1 << 20), expected))
                }
            }
        }
    }

    @Test func `A stream's observation ends with the result of its decoding`() async throws {
        let sample = CodedSample.all[0]
        let server = try Self.server(cutting: sample)
        let ends = [(sample.bytes.count, nil), (sample.bytes.count - 1, "protocol"), (0, nil)] as [(Int, String?)]
        for (count, type) in ends + [(-1, "abandoned")] {
            let tracer = InMemoryTracer()
            let client = CurlClient(observability: CurlObservability(tracer: tracer))
            do {
                let path = count < 0 ? sample.bytes.count : count
                let stream = try await client.stream(HTTPRequest(.get, url: "\(server.url)/\(path)"))
                do {
                    if count >= 0 { for try await _ in stream.body {} }
                    #expect(type != "protocol")
                } catch let error as CurlError {
                    #expect(error.code == .protocol)
                }
            }
            await client.shutdown()
            let span = try #require(tracer.finishedSpans.first)
            #expect(span.attributes.get("error.type") == type.map { .string($0) })
        }
    }
}
#endif
