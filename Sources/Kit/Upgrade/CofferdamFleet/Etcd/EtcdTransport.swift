#if Fleet
import CofferdamCurl
import HTTPTypes

/// Sends requests to the gateway.
struct EtcdTransport: Sendable {
    struct Call: Sendable {
        var endpoint: String
        var path: String
        var body: [UInt8]
        var token: String?
        /// For an endless answer, the time until it begins.
        var timeout: Duration
        /// How long an endless answer may be silent.
        var silence: Duration?
    }

    struct Answer: Sendable {
        var status: Int
        var body: [UInt8] = []
        /// When it was sent, in seconds since 1970 by the clock of etcd's host; nil if it does not say.
        var date: Int?
    }

    var send: @Sendable (Call) async throws -> Answer
    /// Passes the lines of an endless answer to `isEnough`, until that returns true or the call's `silence` has passed
    /// without a line. An answer with a status other than 200 is returned whole.
    var lines: @Sendable (Call, _ isEnough: @Sendable ([UInt8]) throws -> Bool) async throws -> Answer

    static func curl(_ client: CurlClient) -> EtcdTransport {
        EtcdTransport { call in
            let options = client.options.with {
                $0.timeouts.connect = min(call.timeout, $0.timeouts.connect ?? call.timeout)
                $0.timeouts.whole = call.timeout
            }
            let reply = try await client.send(try request(call), body: .bytes(call.body), options: options)
            let date = reply.head.headerFields[.date].flatMap(HTTPDate.seconds)
            return Answer(status: reply.head.status.code, body: Array(reply.body), date: date)
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
                // Silence is not a failure: nothing has changed.
            }
            return Answer(status: 200)
        }
    }

    private static func request(_ call: Call) throws(CurlError) -> HTTPRequest {
        var fields: HTTPFields = [.contentType: "application/json"]
        // Without "Bearer": etcd takes the whole value as the token.
        if let token = call.token { fields[.authorization] = token }
        let base = call.endpoint.hasSuffix("/") ? String(call.endpoint.dropLast()) : call.endpoint
        return try HTTPRequest(.post, url: base + call.path, headerFields: fields)
    }
}
#endif
