#if Sandbox
import CofferdamCurl
import Foundation
import HTTPTypes

/// The platform's HTTP interface, with its headers, JSON and errors.
struct Wire: Sendable {
    private let client: CurlClient
    private let options: MenagerieOptions

    init(options: MenagerieOptions) {
        self.options = options
        client = CurlClient(
            configuration: .defaults {
                $0.userAgent = "MenagerieV2/2.0"
                // The server sends a heartbeat on a silent stream every 15 seconds.
                $0.options.timeouts.idle = .seconds(45)
            }
        )
    }

    func shutdown() async { await client.shutdown() }

    /// Sends a request and decodes its answer.
    func call<Answer: Decodable & Sendable>(
        _ request: WireRequest,
        answer: Answer.Type = Answer.self
    ) async throws(MenagerieError) -> Answer {
        try await decode(Answer.self, from: bytes(of: request).body)
    }

    /// Sends a request and returns the answer as it is, if it is a success.
    func bytes(
        of request: WireRequest,
        onProgress: (@Sendable (ImageProgress) -> Void)? = nil
    ) async throws(MenagerieError) -> CurlReply {
        let reply: CurlReply
        do {
            let options = onProgress.map { onProgress in
                client.options.with {
                    $0.progress = {
                        onProgress(ImageProgress(receivedBytes: $0.received, totalBytes: $0.totalToReceive))
                    }
                }
            }
            reply = try await client.send(try head(of: request), body: .bytes(request.body), options: options)
        } catch {
            throw MenagerieError(transport: error)
        }
        guard reply.head.status.kind == .successful else {
            throw MenagerieError(reply.head, body: reply.body, now: options.now())
        }
        return reply
    }

    /// Opens an event stream, if the server accepts.
    func stream(_ request: WireRequest) async throws(MenagerieError) -> CurlStream {
        do {
            let stream = try await client.stream(try head(of: request), body: .bytes(request.body))
            guard stream.head.status.kind == .successful else {
                let body = try await stream.body.collect(upTo: 65_536)
                throw MenagerieError(stream.head, body: body, now: options.now())
            }
            // A page with status 200 is not a stream that ended early.
            guard stream.head.headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true else {
                throw MenagerieError.decoding(path: "", message: "not an event stream")
            }
            return stream
        } catch {
            throw MenagerieError(transport: error)
        }
    }

    private func head(of request: WireRequest) throws(CurlError) -> HTTPRequest {
        var fields = HTTPFields()
        fields[.acceptLanguage] = options.language
        if !request.body.isEmpty { fields[.contentType] = "application/json" }
        if let token = request.token { fields[.authorization] = "Bearer \(token)" }
        let others = request.headers + [("X-Menagerie-Key", options.apiKey)]
        for (name, value) in others {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return try HTTPRequest(request.method, url: request.url(from: options.serviceURL), headerFields: fields)
    }
}

/// Decodes off the caller's actor; an error names the path in the payload.
@concurrent func decode<Answer: Decodable & Sendable>(
    _ type: Answer.Type,
    from bytes: some Collection<UInt8> & Sendable
) async throws(MenagerieError) -> Answer {
    do {
        return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
        throw .decoding(path: error.location.path, message: error.location.message)
    } catch {
        throw .decoding(path: "", message: "not JSON")
    }
}
#endif
