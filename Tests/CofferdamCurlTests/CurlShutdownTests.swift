#if Curl
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlShutdownTests {
    @Test func `Requests in flight and later ones end with closed`() async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/stream" { connection.send("HTTP/1.1 200 OK\r\n\r\n") }
            connection.waitForClientToClose()
        }
        let client = CurlClient()
        let request = try HTTPRequest(.post, url: server.url)
        let stream = try await client.stream(HTTPRequest(.get, url: "\(server.url)/stream"))
        let task = Task { try await client.send(request) }
        await server.until { $0.requests.count == 2 }
        await client.shutdown()
        await client.shutdown()
        let inFlight = try await curlError { try await task.value }
        #expect(inFlight.code == .closed)
        #expect(inFlight.wasSent == true)
        let streaming = try await curlError { for try await _ in stream.body {} }
        #expect(streaming.code == .closed)
        let later = try await curlError { try await client.send(request) }
        #expect(later.code == .closed)
        #expect(later.wasSent == false)
        #expect(await client.census() == LoopCensus())
        await server.until { $0.closedByClient == 2 }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Whenever the client is shut down, every caller gets a reply or closed`(seed: UInt64) async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        var random = SplitMix64(seed: seed)
        let client = CurlClient()
        let request = try HTTPRequest(.post, url: server.url)
        let moment = ContinuousClock.now + .microseconds(.random(in: 0...3000, using: &random))
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                group.addTask {
                    do {
                        if index.isMultiple(of: 2) {
                            _ = try await client.send(request, body: .bytes([1]))
                        } else {
                            for try await _ in try await client.stream(request, body: .bytes([1])).body {}
                        }
                        return true
                    } catch {
                        return (error as? CurlError)?.code == .closed
                    }
                }
            }
            while ContinuousClock.now < moment { await Task.yield() }
            await client.shutdown()
            for await isRight in group { #expect(isRight) }
        }
    }

    /// It would crash a loop thread that ends at that moment.
    @Test(.enabled(if: dlsym(nil, "OPENSSL_atexit") != nil, "libcurl comes without OpenSSL"))
    func `OpenSSL does not clean up when the process exits`() async throws {
        await #expect(processExitsWith: .success) {
            let server = try ScriptedServer { connection, _ in connection.reply([]) }
            try await withClient { client in _ = try await client.send(HTTPRequest(.get, url: server.url)) }
            typealias Handler = @convention(c) () -> Void
            typealias Register = @convention(c) (Handler) -> Int32
            let register = try unsafeBitCast(#require(dlsym(nil, "OPENSSL_atexit")), to: Register.self)
            #expect(register { _exit(EXIT_FAILURE) } == 1)
        }
    }

    @Test func `A client that is dropped closes its connections`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        var client: CurlClient? = CurlClient()
        _ = try await client?.send(HTTPRequest(.get, url: server.url))
        client = nil
        await server.until { $0.closedByClient == 1 }
    }

    @Test func `A client that is dropped lets requests in flight finish`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")
            connection.send(Array(repeating: 1, count: 2_000_000))
        }
        let reply = try await CurlClient().send(HTTPRequest(.get, url: server.url))
        #expect(reply.body.count == 2_000_000)
        let stream = try await CurlClient().stream(HTTPRequest(.get, url: server.url))
        let body = try await stream.body.collect(upTo: 2_000_000)
        #expect(body.count == 2_000_000)
        await server.until { $0.closedByClient == 2 }
    }
}
#endif
