#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlUploadPaceTests {
    static let block = [UInt8](repeating: 7, count: 64 << 10)
    /// In blocks: the capacity of both sides' sockets and the client's buffers, with a margin.
    static let maximumAhead = 256
    static let blockCount = 800

    /// Sends the head of each request to a gate before it reads the body.
    static func unreadServer(_ gate: Gate) throws -> ScriptedServer {
        try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            connection.note(ServerRequest(head: head, body: []))
            gate.block()
            guard let body = connection.readBody(of: head) else { return }
            connection.reply(Array(String(body.count).utf8))
            connection.waitForClientToClose()
        })
    }

    @Test(arguments: [nil, blockCount * block.count])
    func `A server that does not read makes the sequence wait, and nothing is lost`(length: Int?) async throws {
        let gate = Gate()
        let server = try Self.unreadServer(gate)
        defer { gate.open() }
        // Meanwhile only the connection's time-out and the whole one may run.
        try await withClient { client in
            let blocks = PulledBlocks { $0 < Self.blockCount ? Self.block : nil }
            let request = try HTTPRequest(.put, url: server.url)
            async let reply = client.send(request, body: .stream(length: length, blocks))
            await server.until { $0.requests.count == 1 }
            // Waits until it stops: the number stays the same each time the loop answers.
            var pulled = -1
            while blocks.pulls.value != pulled {
                pulled = blocks.pulls.value
                for _ in 0..<200 { _ = await client.census() }
            }
            #expect(pulled < Self.maximumAhead)
            gate.open()
            let body = try await reply.body
            #expect(Array(body) == Array(String(Self.blockCount * Self.block.count).utf8))
            #expect(blocks.pulls.value == Self.blockCount + 1)
        }
    }

    @Test(arguments: [false, true], [nil, 1_000_000])
    func `Cancelling a request that waits for its sequence cancels the sequence`(isStream: Bool, length: Int?)
        async throws
    {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let isWaiting = Gate()
            let cancelled = Gate()
            let blocks = PulledBlocks { index in
                if index == 0 { return Self.block }
                isWaiting.open()
                do {
                    try await PulledBlocks.waitForCancellation()
                } catch {
                    cancelled.open()
                    throw error
                }
                return nil
            }
            let request = try HTTPRequest(.put, url: server.url)
            let body = CurlRequestBody.stream(length: length, blocks)
            let task = Task {
                if isStream {
                    _ = try await client.stream(request, body: body)
                } else {
                    _ = try await client.send(request, body: body)
                }
            }
            await isWaiting.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await cancelled.wait()
            #expect(await client.census().transfersInFlight == 0)
            await server.until { $0.closedByClient == 1 }
        }
        #expect(server.log.requests.isEmpty)
    }

    @Test(arguments: [false, true])
    func `Cancelling while the server does not read ends the upload and the connection`(isFile: Bool) async throws {
        let gate = Gate()
        let server = try Self.unreadServer(gate)
        let file = try TemporaryFile(Array(repeating: 1, count: 32 << 20))
        try await withClient { client in
            let cancelled = Gate()
            // The waiting sequence is not notified; it is just never pulled again.
            let blocks = PulledBlocks { _ in
                if Task.isCancelled { cancelled.open() }
                try Task.checkCancellation()
                return Self.block
            }
            let request = try HTTPRequest(.put, url: server.url)
            let task = Task { try await client.send(request, body: isFile ? .file(file.path) : .stream(blocks)) }
            await server.until { $0.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            gate.open()
            await server.until { $0.closedByClient == 1 }
            let pulled = blocks.pulls.value
            for _ in 0..<100 { _ = await client.census() }
            #expect(blocks.pulls.value <= pulled + 1)
        }
    }

    @Test(arguments: [303, 401, 413, 500], [nil, 10_000_000])
    func `A refusal that comes before the body is sent ends the request, though its sequence waits`(
        status: Int,
        length: Int?
    ) async throws {
        let isWaiting = [Gate(), Gate()]
        let server = try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            isWaiting[head.hasPrefix("PUT /0 ") ? 0 : 1].block()
            connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
            connection.waitForClientToClose()
        })
        try await withClient { client in
            for isStream in [false, true] {
                let cancelled = Gate()
                let blocks = PulledBlocks { index in
                    if index == 0 { return Self.block }
                    isWaiting[isStream ? 1 : 0].open()
                    do {
                        try await PulledBlocks.waitForCancellation()
                    } catch {
                        cancelled.open()
                        throw error
                    }
                    return nil
                }
                let request = try HTTPRequest(.put, url: "\(server.url)/\(isStream ? 1 : 0)")
                let body = CurlRequestBody.stream(length: length, blocks)
                if isStream {
                    let reply = try await client.stream(request, body: body)
                    #expect(reply.head.status.code == status)
                    #expect(try await reply.body.collect(upTo: 10) == Array("no".utf8))
                } else {
                    let reply = try await client.send(request, body: body)
                    #expect(reply.head.status.code == status)
                    #expect(Array(reply.body) == Array("no".utf8))
                }
                await cancelled.wait()
            }
            await server.until { $0.closedByClient == 2 }
        }
    }

    @Test func `A reply that comes first does not end a body that the server goes on reading`() async throws {
        let size = 100 * Self.block.count
        let received = Count()
        let server = try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
            if let body = connection.readBody(of: head) { received.add(body.count) }
            connection.waitForClientToClose()
        })
        try await withClient { client in
            let hasHead = Gate()
            let blocks = PulledBlocks { index in
                if index == 1 { await hasHead.wait() }
                return index < 100 ? Self.block : nil
            }
            let reply = try await client.stream(HTTPRequest(.put, url: server.url), body: .stream(blocks))
            hasHead.open()
            #expect(try await reply.body.collect(upTo: 10) == Array("first".utf8))
            await received.until { $0 == size }
        }
    }

    @Test func `Only the time-out of the whole request runs while the sequence is behind`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        let short = CurlOptions().with {
            $0.timeouts.firstByte = .milliseconds(20)
            $0.timeouts.idle = .milliseconds(20)
            $0.timeouts.whole = .milliseconds(300)
        }
        try await withClient { client in
            let request = try HTTPRequest(.put, url: server.url)
            @Sendable func stuckBody(_ isWaiting: Gate) -> CurlRequestBody {
                .stream(
                    PulledBlocks { index in
                        if index == 0 { return Self.block }
                        isWaiting.open()
                        try await PulledBlocks.waitForCancellation()
                        return nil
                    }
                )
            }
            let isWaiting = Gate()
            // A stream has no whole time-out.
            let task = Task { try await client.stream(request, body: stuckBody(isWaiting), options: short) }
            await isWaiting.wait()
            let error = try await curlError {
                try await client.send(request, body: stuckBody(Gate()), options: short)
            }
            #expect(error.timeout == .whole)
            #expect(error.wasSent == true)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test(arguments: [false, true])
    func `When the sequence has caught up, or the body is in memory, the time-outs run again`(isInMemory: Bool)
        async throws
    {
        let gate = Gate()
        let server = try Self.unreadServer(gate)
        defer { gate.open() }
        let short = CurlOptions().with {
            $0.timeouts.firstByte = .milliseconds(50)
            $0.timeouts.whole = nil
        }
        try await withClient { client in
            let blocks = PulledBlocks { $0 < Self.blockCount ? Self.block : nil }
            let size = Self.blockCount * Self.block.count
            let body: CurlRequestBody = isInMemory ? Self.bodyInMemory(size) : .stream(blocks)
            let error = try await curlError {
                try await client.send(HTTPRequest(.put, url: server.url), body: body, options: short)
            }
            #expect(error.timeout == .firstByte)
            #expect(error.wasSent == true)
        }
    }

    static func bodyInMemory(_ size: Int) -> CurlRequestBody { .bytes(CurlBytes([UInt8](repeating: 7, count: size))) }

    @Test func `A body in memory that is being sent outlasts the time-out of the reply`() async throws {
        let gates = (0..<12).map { _ in Gate() }
        defer { for gate in gates { gate.open() } }
        let step = 4 << 20
        // After the last step there is more than the sockets' buffers hold.
        let size = (gates.count + 4) * step
        let server = try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            connection.note(ServerRequest(head: head, body: []))
            for gate in gates {
                gate.block()
                guard connection.read(step) != nil else { return }
            }
            guard connection.read(size - gates.count * step) != nil else { return }
            connection.reply([])
            connection.waitForClientToClose()
        })
        let silent = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
        try await withClient(.defaults { $0.options.timeouts.firstByte = .milliseconds(500) }) { client in
            let request = try HTTPRequest(.put, url: server.url)
            async let reply = client.send(request, body: Self.bodyInMemory(size))
            await server.until { $0.requests.count == 1 }
            // The time-outs of other requests are the clock: together they take longer than this one's.
            let short = client.options.with { $0.timeouts.firstByte = .milliseconds(50) }
            for gate in gates {
                let late = try await curlError {
                    try await client.send(HTTPRequest(.get, url: silent.url), options: short)
                }
                #expect(late.timeout == .firstByte)
                gate.open()
            }
            let head = try await reply.head
            #expect(head.status == .ok)
        }
    }
}
#endif
