import Cofferdam
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport

@testable import CofferdamDevice

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("URLSession as a transport", .timeLimit(.minutes(1))) struct URLSessionTransportTests {
    private static func get(_ address: String, _ path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: address, path: path)
    }

    @Test func `a request arrives whole, and its response too`() async throws {
        let receiver = try LoopbackServer()
        let received = Log<String>()
        receiver.answers { request in
            received.add(request)
            return (201, "made")
        }
        var request = Self.get(receiver.address, "/v1/a%20b?c=d")
        request.method = .post
        request.headerFields[.authorization] = "Bearer sesame"
        request.headerFields[.contentType] = "application/json"
        let (head, body) = try await DeviceTransport.urlSession().exchange(request, Array("{}".utf8), .seconds(10))
        #expect(head.status.code == 201)
        #expect(head.headerFields[.contentLength] == "4")
        #expect(String(decoding: body, as: UTF8.self) == "made")
        let text = try #require(received.entries.first)
        #expect(text.hasPrefix("POST /v1/a%20b?c=d HTTP/1.1\r\n"))
        #expect(text.contains("Authorization: Bearer sesame\r\n"))
        #expect(text.contains("Content-Type: application/json\r\n"))
        #expect(text.hasSuffix("\r\n\r\n{}"))
    }

    @Test func `many requests at once get their own responses`() async throws {
        let receiver = try LoopbackServer()
        receiver.answers { request in (200, String(request.prefix { $0 != "\r\n" })) }
        let transport = DeviceTransport.urlSession()
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let reply = try await transport.exchange(Self.get(receiver.address, "/\(number)"), [], .seconds(30))
                    return String(decoding: reply.body, as: UTF8.self) == "GET /\(number) HTTP/1.1"
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }

    @Test func `a redirect is returned, and the token goes nowhere else`() async throws {
        let (receiver, other) = (try LoopbackServer(), try LoopbackServer())
        let received = Log<String>()
        receiver.answers(whole: { [address = other.address] _ in
            "HTTP/1.1 307 Elsewhere\r\nLocation: http://\(address)/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        })
        other.answers { request in
            received.add(request)
            return (200, "")
        }
        var request = Self.get(receiver.address)
        request.headerFields[.authorization] = "Bearer sesame"
        let (head, _) = try await DeviceTransport.urlSession().exchange(request, [], .seconds(10))
        #expect(head.status.code == 307)
        #expect(received.entries.isEmpty)
    }

    @Test func `no response is kept, and no cookie`() async throws {
        let receiver = try LoopbackServer()
        let received = Log<String>()
        receiver.answers(whole: { request in
            received.add(request)
            let fields = "Cache-Control: max-age=3600\r\nSet-Cookie: a=b; Path=/\r\nETag: \"1\""
            return "HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
        })
        let transport = DeviceTransport.urlSession(.default)
        for _ in 0..<3 {
            let (head, body) = try await transport.exchange(Self.get(receiver.address), [], .seconds(10))
            #expect(head.status.code == 200)
            #expect(body == Array("hi".utf8))
        }
        #expect(received.entries.count == 3)
        #expect(received.entries.allSatisfy { !$0.lowercased().contains("cookie:") })
        #expect(received.entries.allSatisfy { !$0.lowercased().contains("if-none-match") })
    }

    @Test(arguments: [(10, true), (1_000, true), (1_001, false), (400_000, false)])
    func `a body has a limit`(_ length: Int, _ isTaken: Bool) async throws {
        let receiver = try LoopbackServer()
        receiver.answers { _ in (200, String(repeating: "a", count: length)) }
        let transport = DeviceTransport.urlSession(maximumBody: 1_000)
        if isTaken {
            let reply = try await transport.exchange(Self.get(receiver.address), [], .seconds(10))
            #expect(reply.body.count == length)
        } else {
            let error = await #expect(throws: DeviceTransportError.self) {
                try await transport.exchange(Self.get(receiver.address), [], .seconds(10))
            }
            #expect(error?.message == "a response of more than 1000 bytes")
        }
    }

    @Test func `a server that is not there is an error without the token`() async throws {
        var request = Self.get("127.0.0.1:1")
        request.headerFields[.authorization] = "Bearer sesame"
        let sent = request
        let error = await #expect(throws: DeviceTransportError.self) {
            try await DeviceTransport.urlSession().exchange(sent, [], .seconds(10))
        }
        var text = ""
        dump(error, to: &text)
        #expect(!text.contains("sesame"))
        #expect(error?.wasSent != true)
    }

    @Test func `a time that has passed is an error`() async throws {
        let receiver = try LoopbackServer()
        let gate = DispatchSemaphore(value: 0)
        receiver.answers { _ in
            gate.wait()
            return (200, "")
        }
        defer { gate.signal() }
        let error = await #expect(throws: DeviceTransportError.self) {
            try await DeviceTransport.urlSession().exchange(Self.get(receiver.address), [], .milliseconds(50))
        }
        #expect(error?.message == "no response within 0.05 seconds")
    }

    @Test func `a caller that is cancelled leaves at once, and its request ends`() async throws {
        let receiver = try LoopbackServer()
        let arrived = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        receiver.answers { _ in
            arrived.continuation.yield()
            gate.wait()
            return (200, "")
        }
        let transport = DeviceTransport.urlSession()
        let call = Task { _ = try await transport.exchange(Self.get(receiver.address), [], .seconds(60)) }
        for await _ in arrived.stream { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        gate.signal()
        // The next request is answered.
        receiver.answers { _ in (200, "next") }
        let reply = try await transport.exchange(Self.get(receiver.address), [], .seconds(10))
        #expect(reply.body == Array("next".utf8))
    }
}

@Suite struct UpgradeServerTests {
    @Test(arguments: [
        "upgrades.example.com", "ftp://example.com", "https://me:sesame@example.com", "https://", "https://a b",
    ])
    func `an address that is none is refused before anything is sent`(_ address: String) async throws {
        let transport = DeviceTransport { request, _, _ in
            Issue.record("\(request) was sent")
            throw DeviceTransportError("none")
        }
        let store = ServerUpgradeStore(UpgradeServer(address, token: "sesame", transport: transport))
        let error = await #expect(throws: UpgradeStoreError.self) { try await store.read("orders") }
        #expect(error?.description.contains("sesame") == false)
        #expect(error?.code == .unavailable)
    }

    @Test func `a request has the address's path, the capability's name in code, and the time`() async throws {
        let requests = Log<(HTTPRequest, Duration)>()
        let transport = DeviceTransport { request, _, time in
            requests.add((request, time))
            throw DeviceTransportError("none")
        }
        let server = UpgradeServer("HTTPS://Example.com:8443/shop/", token: "sesame", transport: transport)
        await #expect(throws: UpgradeStoreError.self) { try await ServerUpgradeStore(server).read("my orders/1") }
        let (request, time) = try #require(requests.entries.first)
        #expect(request.scheme == "https")
        #expect(request.authority == "Example.com:8443")
        #expect(request.path == "/shop/v1/capabilities/my%20orders%2F1/stage")
        #expect(request.headerFields[.authorization] == "Bearer sesame")
        #expect(time == .seconds(10))
    }
}
