import CofferdamCurl
import HTTPTypes

/// How the gateway is spoken to.
struct EtcdTransport: Sendable {
    struct Call: Sendable {
        var endpoint: String
        var path: String
        var body: [UInt8]
        var token: String?
        /// Of an endless answer only until it begins.
        var timeout: Duration
        /// How long an endless answer may say nothing.
        var silence: Duration?
    }

    struct Answer: Sendable {
        var status: Int
        var body: [UInt8] = []
    }

    var send: @Sendable (Call) async throws -> Answer
    /// Hands over the lines of an endless answer, until there is no more for the call's `silence`, or `isEnough`. An answer with
    /// another status than 200 is handed back whole.
    var lines: @Sendable (Call, _ isEnough: @Sendable ([UInt8]) throws -> Bool) async throws -> Answer

    static func curl(_ client: CurlClient) -> EtcdTransport {
        EtcdTransport { call in
            let options = client.options.with {
                $0.timeouts.connect = min(call.timeout, $0.timeouts.connect ?? call.timeout)
                $0.timeouts.whole = call.timeout
            }
            let reply = try await client.send(try request(call), body: .bytes(call.body), options: options)
            return Answer(status: reply.head.status.code, body: Array(reply.body))
        } lines: { call, isEnough in
            let options = client.options.with {
                $0.timeouts.connect = min(call.timeout, $0.timeouts.connect ?? call.timeout)
                $0.timeouts.firstByte = call.timeout
                $0.timeouts.idle = call.silence
            }
            let stream = try await client.stream(try request(call), body: .bytes(call.body), options: options)
            guard stream.head.status == .ok else {
                return Answer(
                    status: stream.head.status.code,
                    body: Array(try await stream.body.collect(upTo: 1 << 16))
                )
            }
            do {
                for try await line in stream.body.lines() where try isEnough(line) { break }
            } catch let error as CurlError where error.timeout == .idle {
                // Nothing has happened, which is no failure.
            }
            return Answer(status: 200)
        }
    }

    private static func request(_ call: Call) throws(CurlError) -> HTTPRequest {
        var fields: HTTPFields = [.contentType: "application/json"]
        // Without "Bearer": etcd takes the whole value for the token.
        if let token = call.token { fields[.authorization] = token }
        let base = call.endpoint.hasSuffix("/") ? String(call.endpoint.dropLast()) : call.endpoint
        return try HTTPRequest(.post, url: base + call.path, headerFields: fields)
    }
}
