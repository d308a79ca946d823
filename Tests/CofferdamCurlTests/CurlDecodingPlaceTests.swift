#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import Testing

/// Tests where bodies are decoded, and which tasks wait for it.
@Suite(.timeLimit(.minutes(5)))
struct CurlDecodingPlaceTests {
    /// 100 MB of zeros in 100 KB, which is less than the buffer; then nothing more, and no end.
    static func manyZeros(_ connection: ServerConnection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        connection.send(DeflateSamples.gzipHead + DeflateSamples.bombHead)
        connection.send(Array(repeating: 0, count: 100_000))
        connection.waitForClientToClose()
    }

    @Test func `Bodies that are not read do not delay other requests`() async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/large" { CurlDecompressionTests.bomb(connection) } else { connection.reply([1]) }
        }
        try await withClient { client in
            var streams: [CurlStream] = []
            for _ in 0..<4 { streams.append(try await client.stream(HTTPRequest(.get, url: "\(server.url)/large"))) }
            for _ in 0..<20 {
                let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/small"))
                #expect(reply.body == [1])
            }
            // Nor after a little was read.
            for stream in streams {
                var blocks = stream.body.makeAsyncIterator()
                #expect(try #require(try await blocks.next()).count <= 128 << 10)
            }
            #expect(try await client.send(HTTPRequest(.get, url: "\(server.url)/small")).body == [1])
            #expect(streams.count == 4)
        }
        await server.until { $0.closedByClient >= 4 }
    }

    @Test func `A consumer on the loop's thread decodes elsewhere, block by block`() async throws {
        let server = try ScriptedServer { connection, _ in Self.manyZeros(connection) }
        let size = 64 << 20
        try await withClient { client in
            let turns = Count()
            let others = Task(executorPreference: client.executor) {
                while !Task.isCancelled {
                    turns.add()
                    await Task.yield()
                }
            }
            let task = Task(executorPreference: client.executor) {
                let thread = CurlExecutorTests.thread
                let stream = try await client.stream(HTTPRequest(.get, url: server.url))
                // Until everything has arrived.
                await server.until { $0.bytesWritten > 100_000 }
                var blocks = stream.body.makeAsyncIterator()
                _ = try await blocks.next()
                let before = turns.value
                var received = 0
                while received < size {
                    received += try #require(try await blocks.next()).count
                    #expect(CurlExecutorTests.thread == thread)
                }
                return turns.value - before
            }
            // The consumer leaves the loop to decode a block, so the others get a turn.
            let count = try await task.value
            #expect(count >= size / (128 << 10) / 2, "\(count) turns")
            others.cancel()
            await others.value
        }
    }

    @Test func `Cancelling a consumer in the middle of its decoding ends the transfer`() async throws {
        let server = try ScriptedServer { connection, _ in CurlDecompressionTests.bomb(connection) }
        try await withClient(.defaults { $0.options.maximumBodySize = .max }) { client in
            let received = Count()
            let streaming = Task {
                for try await block in try await client.stream(HTTPRequest(.get, url: server.url)).body {
                    received.add(block.count)
                }
            }
            await received.until { $0 > 10 << 20 }
            streaming.cancel()
            await #expect(throws: CancellationError.self) { try await streaming.value }
            await server.until { $0.closedByClient == 1 }

            // The first transfer may have stalled too.
            let before = server.log
            let sending = Task { try await client.send(HTTPRequest(.get, url: server.url)) }
            await server.until {
                $0.stalls > before.stalls || $0.bytesWritten - before.bytesWritten > 10 << 20
            }
            sending.cancel()
            await #expect(throws: CancellationError.self) { try await sending.value }
            #expect(await client.census().transfersInFlight == 0)
            await server.until { $0.closedByClient == 2 }
        }
    }

    @Test func `The time-out of a whole request includes decoding`() async throws {
        let server = try ScriptedServer { connection, _ in
            // Endless empty members: no size limit is ever reached.
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            let nothing = DeflateSamples.gzip([])
            let block = Array(repeatElement(nothing, count: 1000).joined())
            while connection.send(block) {}
        }
        try await withClient(.defaults { $0.options.timeouts.whole = .milliseconds(200) }) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(error.timeout == .whole, "\(error)")
        }
        await server.until { $0.closedByClient == 1 }
    }

    @Test func `A body is decoded for one consumer at a time`() async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            connection.send(CodedSample.gzip)
            gate.block()
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var blocks = stream.body.makeAsyncIterator()
            #expect(try await blocks.next()?.count == CodedSample.content.count)
            // One of the two waits for the end; the other must not.
            let results = await withTaskGroup(of: Result<CurlBytes?, any Error>.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var blocks = stream.body.makeAsyncIterator()
                        do { return .success(try await blocks.next()) } catch { return .failure(error) }
                    }
                }
                let first = await group.next()
                gate.open()
                return [first, await group.next()].compactMap(\.self)
            }
            #expect(throws: CurlError.self) { try results.first?.get() }
            #expect(try results.last?.get() == nil)
        }
    }
}
#endif
