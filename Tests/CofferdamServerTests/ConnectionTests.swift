#if Server
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing
@testable import CofferdamServer

@Suite("Connections: how many, and how slow", .timeLimit(.minutes(1))) struct ConnectionTests {
    /// A connection in memory whose clock the test moves, up to the parts of requests and answers.
    private final class Line {
        let channel = EmbeddedChannel()
        let connections: OpenConnections

        init(_ limits: ConnectionLimits = ConnectionLimits()) throws {
            connections = OpenConnections(limits, most: 10)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false
            )
            try LimitedHTTP1.addHandlers(to: pipeline, limits, connections)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        var isOpen: Bool { channel.isActive }
        var late: Int { connections.counts.refused[.late, default: 0] }

        func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

        func pass(seconds: Int) { channel.embeddedEventLoop.advanceTime(by: .seconds(Int64(seconds))) }

        /// What the server has read so far.
        func requests() throws -> [HTTPServerRequestPart] {
            var parts: [HTTPServerRequestPart] = []
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { parts.append(part) }
            return parts
        }

        func answer(_ body: String = "ok") throws -> String {
            let head = HTTPResponseHead(
                version: .http1_1,
                status: .ok,
                headers: ["content-length": "\(body.utf8.count)"]
            )
            try channel.writeOutbound(HTTPServerResponsePart.head(head))
            try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body))))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        func stop() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"

    // MARK: Time

    @Test func `a head must arrive within ten seconds, however it is cut`() throws {
        let line = try Line()
        for byte in Self.get.prefix(9) {
            try line.send(String(byte))
            line.pass(seconds: 1)
        }
        #expect(line.isOpen)
        line.pass(seconds: 1)
        #expect(!line.isOpen)
        #expect(line.late == 1)
    }

    @Test func `a connection that sends nothing is closed too`() throws {
        let line = try Line()
        line.pass(seconds: 9)
        #expect(line.isOpen)
        line.pass(seconds: 1)
        #expect(!line.isOpen)
    }

    @Test func `between requests a connection may be idle, and the next head is due from its first byte`() throws {
        let line = try Line()
        try line.send(Self.get)
        #expect(try line.answer().hasSuffix("ok"))
        line.pass(seconds: 100)
        #expect(line.isOpen)
        try line.send("GE")
        line.pass(seconds: 9)
        try line.send("T")
        #expect(line.isOpen)
        line.pass(seconds: 1)
        #expect(!line.isOpen)
    }

    @Test func `a request that waits for its answer may wait`() throws {
        let line = try Line()
        try line.send(Self.get)
        line.pass(seconds: 60)
        // A client may begin its next request meanwhile.
        try line.send("GET")
        line.pass(seconds: 60)
        #expect(line.isOpen)
        #expect(line.late == 0)
    }

    @Test func `a body must arrive at the least rate`() throws {
        let line = try Line()
        try line.send(Self.post)
        for _ in 0..<10 {
            #expect(line.isOpen)
            try line.send("x")
            line.pass(seconds: 1)
        }
        // Ten bytes are worth a fiftieth of a second.
        #expect(throws: RequestDeadlines.Missing.self) {
            line.pass(seconds: 1)
            try line.channel.throwIfErrorCaught()
        }
        #expect(!line.isOpen)
        #expect(line.late == 1)
    }

    @Test func `a body at the least rate is read to its end`() throws {
        let line = try Line()
        try line.send(Self.post)
        for _ in 0..<200 {
            try line.send(String(repeating: "x", count: 500))
            line.pass(seconds: 1)
        }
        #expect(line.isOpen)
        let isWhole = try line.requests().contains { if case .end = $0 { true } else { false } }
        #expect(isWhole)
        #expect(try line.answer().hasSuffix("ok"))
    }

    @Test func `a body behind a request that is still being answered is not late`() throws {
        let line = try Line()
        try line.send(Self.get + Self.post)
        line.pass(seconds: 60)
        #expect(line.isOpen)
        _ = try line.answer()
        line.pass(seconds: 20)
        #expect(!line.isOpen)
    }

    // MARK: Stopping

    @Test func `a stop closes a connection that owes a body at once`() throws {
        let line = try Line()
        try line.send(Self.post + "x")
        line.stop()
        #expect(!line.isOpen)
        #expect(throws: RequestDeadlines.Missing.self) { try line.channel.throwIfErrorCaught() }
        #expect(line.late == 0)
    }

    @Test func `a stop lets a request be answered, and reads no other`() throws {
        let line = try Line()
        try line.send(Self.get)
        line.stop()
        #expect(try line.requests().count == 2)
        try line.send(Self.get)
        #expect(try line.requests().isEmpty)
        line.pass(seconds: 20)
        #expect(line.isOpen)
        #expect(try line.answer().hasSuffix("ok"))
    }

    @Test func `a stop does not wait for a client that reads nothing`() throws {
        let line = try Line()
        try line.send(Self.get)
        line.stop()
        line.channel.isWritable = false
        line.pass(seconds: 1)
        #expect(!line.isOpen)
    }

    @Test func `a server with 200 slow bodies and open streams stops at once`() async throws {
        try await TestServer.with({ $0.connections.perAddress = 0 }) { server in
            let port = try server.plane.port
            let slow = try (0..<200).map { _ in try RawConnection(port: port) }
            for connection in slow {
                try connection.send(
                    "POST /v1/capabilities/orders/evidence HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n"
                        + "Authorization: Bearer secret-of-device\r\nContent-Type: application/json\r\n\r\n{"
                )
            }
            let streams = try (0..<5).map { _ in try RawConnection(port: port) }
            for stream in streams {
                try stream.send(
                    "GET /v1/capabilities/orders/stage HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n"
                        + "Authorization: Bearer secret-of-device\r\n\r\n"
                )
                _ = try await stream.receive { $0.contains("event: stage") }
            }
            let start = ContinuousClock.now
            await server.stop()
            // The server's own limit is 30 s.
            #expect(ContinuousClock.now - start < .seconds(15))
            for connection in slow { #expect(try await connection.receive() == "") }
        }
    }

    @Test func `half a body changes nothing`() async throws {
        try await TestServer.with { server in
            do {
                let connection = try RawConnection(port: try server.plane.port)
                try connection.send(
                    "POST /v1/capabilities/orders/kill HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n"
                        + "Authorization: Bearer secret-of-operator\r\nContent-Type: application/json\r\n\r\n"
                        + #"{"reason": "a test", "target": "legacy"}"#
                )
            }
            await until { ((try? await server.plane.parts.refusals.last(1)) ?? []).first?.code == "incompleteBody" }
            #expect(try await server.status().kill == nil)
        }
    }

    // MARK: Number

    @Test func `a connection above a limit is closed, counted, and no other is`() async throws {
        try await TestServer.with({ $0.connections.perAddress = 3 }) { server in
            let port = try server.plane.port
            var open = try (0..<3).map { _ in try RawConnection(port: port) }
            for connection in open {
                try connection.send(Self.get)
                #expect(try await connection.receive { $0.hasSuffix("ok\n") }.hasPrefix("HTTP/1.1 200"))
            }
            #expect(try await RawConnection(port: port).receive() == "")
            let connections = try server.plane.parts.connections
            #expect(connections.counts.open == 3)
            #expect(connections.counts.refused == [.address: 1])
            open.removeLast()
            await until { connections.counts.open == 2 }
            let text = try await server.get("/metrics").text
            #expect(text.contains("cofferdam_connections 3\n"))
            #expect(text.contains("cofferdam_connections_refused_total{limit=\"address\"} 1\n"))
            #expect(text.contains("cofferdam_connections_refused_total{limit=\"total\"} 0\n"))
        }
    }

    @Test func `the total holds for all addresses, and an address may have its part of it`() {
        var limits = ConnectionLimits()
        limits.total = 5
        let connections = OpenConnections(limits, most: 1_000)
        #expect((0..<3).map { _ in connections.admit("a") } == [true, true, false], "half of the total")
        #expect((0..<2).map { _ in connections.admit("b") } == [true, true])
        #expect(connections.admit(nil), "a trusted proxy")
        #expect(!connections.admit(nil))
        #expect(connections.counts.refused == [.address: 1, .total: 1])
        connections.remove("a")
        #expect(connections.admit("c"))
    }

    @Test func `the limit of connections is below that of the process's files`() {
        for (files, most) in [(10, 1), (64, 32), (256, 192), (1_024, 768), (1_048_576, 1_047_576)] {
            #expect(ConnectionLimits.most(ofFiles: files) == most)
        }
        var limits = ConnectionLimits()
        limits.total = FileLimit.current
        #expect(throws: ControlPlaneError.self) { try limits.check() }
    }

    // MARK: Descriptors

    @Test func `a process without descriptors accepts nothing for a second`() throws {
        let channel = EmbeddedChannel(handler: AcceptPause(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        var isReading: Bool? {
            channel.options.compactMap {
                $0.option is ChannelOptions.Types.AutoReadOption ? $0.value as? Bool : nil
            }
            .last
        }
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        #expect(isReading == false)
        #expect(throws: Never.self, "the error would end the server") { try channel.throwIfErrorCaught() }
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(isReading == true)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        _ = try? channel.finish()
    }
}
#endif
