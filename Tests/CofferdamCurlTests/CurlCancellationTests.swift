#if Curl
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlCancellationTests {
    static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"

    @Test func `A task that is already cancelled sends nothing`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.send(request)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(server.log.accepted == 0)
    }

    @Test(arguments: [false, true])
    func `Before the head: the connection is closed`(isStream: Bool) async throws {
        let server = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let task = Task {
                if isStream { _ = try await client.stream(request) } else { _ = try await client.send(request) }
            }
            await server.until { $0.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The loop releases the request before it handles later jobs.
            #expect(await client.census().transfersInFlight == 0)
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test(arguments: [false, true])
    func `The caller does not wait for a loop that is busy`(isStream: Bool) async throws {
        let server = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
        try await withClient { client in
            let request = try HTTPRequest(.put, url: server.url)
            let blocks = PulledBlocks { _ in
                try await PulledBlocks.waitForCancellation()
                return nil
            }
            let task = Task {
                if isStream {
                    _ = try await client.stream(request, body: .stream(blocks))
                } else {
                    _ = try await client.send(request, body: .stream(blocks))
                }
            }
            await blocks.pulls.until { $0 == 1 }
            let (isHeld, isOver) = (Gate(), Gate())
            let busy = Task(executorPreference: client.executor) {
                isHeld.open()
                isOver.block()
            }
            await isHeld.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            isOver.open()
            await busy.value
            #expect(await client.census().transfersInFlight == 0)
        }
        await server.until { $0.closedByClient == 1 }
    }

    @Test func `In the middle of a whole body: the connection is closed`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head)
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let task = Task { try await client.send(request) }
            await server.until { $0.bytesWritten == Self.head.utf8.count }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test func `The task that consumes a stream: the connection is closed`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head)
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            let (firsts, gotFirst) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await _ in try await client.stream(request).body { gotFirst.yield() }
            }
            for await _ in firsts { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test func `Dropping a stream closes the connection`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head)
            connection.waitForClientToClose()
        }
        try await withClient { client in
            _ = try await client.stream(HTTPRequest(.get, url: server.url)).head
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test func `A stream that is paused can be dropped`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send(Array(repeating: 1, count: 65_536)) {}
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            await server.until { $0.stalls > 0 }
            _ = consume stream
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `A thousand cancellations at any moment leave nothing in flight`(seed: UInt64) async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/silent" {
                connection.waitForClientToClose()
            } else {
                for byte in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8 { connection.send([byte]) }
            }
        }
        var random = SplitMix64(seed: seed)
        try await withClient { client in
            let silent = try HTTPRequest(.get, url: "\(server.url)/silent")
            let short = try HTTPRequest(.get, url: "\(server.url)/short")
            for _ in 0..<50 {
                let moments = (0..<20).map { _ in
                    (
                        wait: Duration.microseconds(.random(in: 0...1500, using: &random)),
                        kind: Int.random(in: 0..<4, using: &random)
                    )
                }
                await withTaskGroup(of: Bool.self) { group in
                    for moment in moments {
                        group.addTask {
                            let task = Task {
                                let request = moment.kind < 2 ? silent : short
                                if moment.kind.isMultiple(of: 2) {
                                    _ = try await client.send(request)
                                } else {
                                    for try await _ in try await client.stream(request).body {}
                                }
                            }
                            let end = ContinuousClock.now + moment.wait
                            while ContinuousClock.now < end { await Task.yield() }
                            task.cancel()
                            return switch await task.result {
                            case .success: true
                            case .failure(let error): error is CancellationError
                            }
                        }
                    }
                    for await isRight in group { #expect(isRight) }
                }
            }
            #expect(await client.census().transfersInFlight == 0)
        }
    }
}
#endif
