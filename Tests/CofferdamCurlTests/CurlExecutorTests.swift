#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5)))
struct CurlExecutorTests {
    static var thread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// The loop's thread, from the progress of a request.
    static func loopThread(of client: CurlClient) async throws -> UInt {
        let server = try ScriptedServer { connection, _ in connection.reply([1]) }
        let found = Mutex<UInt?>(nil)
        let options = client.options.with { $0.progress = { _ in found.withLock { $0 = Self.thread } } }
        _ = try await client.send(HTTPRequest(.get, url: server.url), options: options)
        return try #require(found.withLock { $0 })
    }

    @Test func `A task on the loop stays on the loop's thread from one request to the next`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        try await withClient { client in
            let thread = try await Self.loopThread(of: client)
            try await withTaskExecutorPreference(client.executor) {
                #expect(Self.thread == thread)
                for index in 0..<20 {
                    let body = [UInt8(index)]
                    let reply = try await client.send(HTTPRequest(.post, url: server.url), body: .bytes(body))
                    #expect(reply.body == CurlBytes(body))
                    #expect(Self.thread == thread)
                    let stream = try await client.stream(HTTPRequest(.post, url: server.url), body: .bytes(body))
                    #expect(Self.thread == thread)
                    for try await block in stream.body {
                        #expect(block == CurlBytes(body))
                        #expect(Self.thread == thread)
                    }
                    await Task.yield()
                    #expect(Self.thread == thread)
                }
            }
            #expect(Self.thread != thread)
        }
    }

    @Test func `A task without the preference does not run there`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let thread = try await Self.loopThread(of: client)
            for _ in 0..<10 {
                _ = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(Self.thread != thread)
            }
        }
    }

    @Test func `Tasks that yield forever do not starve the transfers`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        try await withClient { client in
            let turns = Count()
            let yielders = (0..<4).map { _ in
                Task(executorPreference: client.executor) {
                    while !Task.isCancelled {
                        turns.add()
                        await Task.yield()
                    }
                }
            }
            await turns.until { $0 > 100 }
            let body = [UInt8](repeating: 9, count: 300_000)
            for _ in 0..<5 {
                let reply = try await client.send(HTTPRequest(.post, url: server.url), body: .bytes(body))
                #expect(reply.body.count == body.count)
            }
            // Nor do the time-outs.
            let mute = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
            let short = client.options.with { $0.timeouts.whole = .milliseconds(50) }
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: mute.url), options: short) }
            #expect(error.timeout == .whole)
            for yielder in yielders { yielder.cancel() }
            for yielder in yielders { await yielder.value }
        }
    }

    @Test func `A thousand tasks at once on the loop are all answered`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(Array(request.path.utf8)) }
        try await withClient(.defaults { $0.maximumConnectionsPerHost = 16 }) { client in
            let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<1000 {
                    group.addTask(executorPreference: client.executor) {
                        let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/\(index)"))
                        return Array(reply.body) == Array("/\(index)".utf8)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered == 1000)
        }
        #expect(server.log.accepted <= 16)
    }

    @Test func `A request's sequence is pulled on the configured executor`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        let other = CurlClient()
        try await withClient(.defaults { $0.executor = other.executor }) { client in
            let thread = try await Self.loopThread(of: other)
            let threads = Mutex<Set<UInt>>([])
            let blocks = PulledBlocks { index in
                _ = threads.withLock { $0.insert(Self.thread) }
                return index < 3 ? [1] : nil
            }
            _ = try await client.send(HTTPRequest(.put, url: server.url), body: .stream(blocks))
            #expect(threads.withLock { $0 } == [thread])
        }
        await other.shutdown()
    }

    @Test(arguments: [Duration.zero, .seconds(10)])
    func `A shutdown from the loop itself ends it, and jobs run elsewhere after it`(grace: Duration) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        let client = CurlClient()
        let thread = try await Self.loopThread(of: client)
        try await withTaskExecutorPreference(client.executor) {
            _ = try await client.send(HTTPRequest(.get, url: server.url))
            await client.shutdown(within: grace)
            #expect(Self.thread != thread)
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(error.code == .closed && error.wasSent == false)
            await Task.yield()
            await client.shutdown(within: grace)
        }
        let late = Task(executorPreference: client.executor) { Self.thread }
        #expect(await late.value != thread)
        await server.until { $0.closedByClient == 1 }
    }

    @Test func `A client that is dropped on its own loop ends`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        let executor: any TaskExecutor
        do {
            let client = CurlClient()
            executor = client.executor
            let task = Task(executorPreference: executor) { [client] in
                _ = try await client.send(HTTPRequest(.get, url: server.url))
            }
            _ = consume client
            try await task.value
        }
        await server.until { $0.closedByClient == 1 }
        let late = Task(executorPreference: executor) { 7 }
        #expect(await late.value == 7)
    }
}
#endif
