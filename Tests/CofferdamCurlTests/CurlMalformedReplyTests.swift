#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlMalformedReplyTests {
    @Test(arguments: MalformedReplies.cases, [false, true])
    func `A malformed reply is refused or read carefully, whole or byte by byte`(
        _ wrong: MalformedReplies.Case,
        isSlow: Bool
    ) async throws {
        // Byte by byte, unless that takes too long.
        if isSlow, wrong.bytes.count > 1000 { return }
        let server = try ScriptedServer { connection, request in
            guard request.path == "/wrong" else { return connection.reply(Array("clean".utf8)) }
            if isSlow {
                for byte in wrong.bytes { guard connection.send([byte]) else { return } }
            } else {
                connection.send(wrong.bytes)
            }
            if wrong.ends { connection.end() }
        }
        // Nothing waits longer: a reply that never ends fails by this time-out.
        let patient = CurlOptions().with { $0.timeouts.whole = .seconds(20) }
        try await withClient { client in
            let request = try HTTPRequest(wrong.method, url: "\(server.url)/wrong")
            for isStream in [false, true] {
                do {
                    let (status, body): (Int, [UInt8])
                    if isStream {
                        let stream = try await client.stream(request, options: patient)
                        (status, body) = (stream.head.status.code, try await Array(stream.body.collect(upTo: 1 << 20)))
                    } else {
                        let reply = try await client.send(request, options: patient)
                        (status, body) = (reply.head.status.code, Array(reply.body))
                    }
                    let seen = "\(status) \(body.count) \(String(decoding: body.prefix(20), as: UTF8.self))"
                    #expect(status == wrong.reply?.status, "accepted: \(seen)")
                    #expect(body == wrong.reply.map { Array($0.body.utf8) }, "accepted: \(seen)")
                } catch let error as CurlError {
                    #expect(wrong.codes.contains(error.code), "\(error)")
                    #expect(error.wasSent == true)
                }
                // In any case the next request gets its own reply, or none.
                do {
                    let next = try await client.send(HTTPRequest(.get, url: "\(server.url)/clean"))
                    #expect(Array(next.body) == Array("clean".utf8))
                } catch {
                    #expect(wrong.leavesBytes && isSlow, "\(error)")
                }
            }
        }
    }

    static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "HTTP/1.1 204 No\r\n\r\n"], [false, true])
    func `A second reply on a kept connection is discarded`(first: String, comesLater: Bool) async throws {
        let hasFirst = Gate()
        let server = try ScriptedServer { connection, request in
            guard request.path == "/first" else { return connection.reply(Array("clean".utf8)) }
            connection.send(comesLater ? first : first + Self.poison)
            hasFirst.block()
            if comesLater { connection.send(Self.poison) }
        }
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: "\(server.url)/first"))
            hasFirst.open()
            let sent = first.utf8.count + Self.poison.utf8.count
            await server.until { $0.bytesWritten == sent }
            for method in [HTTPRequest.Method.get, .post] {
                let reply = try await client.send(HTTPRequest(method, url: "\(server.url)/next"))
                #expect(Array(reply.body) == Array("clean".utf8))
            }
        }
    }

    @Test(arguments: ["Content-Length: 10", MalformedReplies.chunked])
    func `A reset in the middle of a body cuts it short`(framing: String) async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n5\r\nab")
            connection.reset()
        }
        try await withClient { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(error.code == .truncated && error.isRetryable, "\(error)")
        }
    }
}
#endif
