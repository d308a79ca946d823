#if Sandbox
import CofferdamCurl
import Foundation
import HTTPTypes

extension MenagerieError {
    /// Creates the error for an answer that is not a success.
    init(_ head: HTTPResponse, body: some Collection<UInt8>, now: Date) {
        let status = head.status.code
        let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(body))  // a proxy answers as it likes
        let error = envelope?.error
        let reply = ServerReply(
            status: status,
            code: error?.code,
            message: error?.message ?? HTTPResponse.Status(code: status).reasonPhrase
        )
        let retryAt = error?.retryAt.flatMap(Self.date) ?? Self.retryAfter(head, now: now)
        self =
            switch (error?.code, status) {
            case ("token_expired", 401): .unauthenticated(.tokenExpired, reply)
            case ("token_reused", 401): .unauthenticated(.tokenReused, reply)
            case (_, 401): .unauthenticated(.required, reply)
            case ("signature_expired", 403): .signatureExpired(reply)
            case (_, 403): .forbidden(reply)
            case (_, 404): .notFound(reply)
            case ("invalid_cursor", 400): .invalidCursor(reply)
            case ("validation", _): .validation(field: error?.field, reply)
            case ("already_linked", 409): .alreadyLinked(reply)
            case ("another_active", 409): .anotherActive(reply)
            case (_, 409): .conflict(reply)
            case (_, 429): .rateLimited(retryAt: retryAt, reply)
            default: .server(retryAt: retryAt, reply)
            }
    }

    /// Creates the error for a failure of the HTTP client.
    init(transport error: any Error) {
        self =
            switch error {
            case let error as MenagerieError: error
            case is CancellationError: .cancelled
            case let error as CurlError:
                .transport(TransportFailure(.init(error.code), message: error.message, wasSent: error.wasSent))
            default: .transport(TransportFailure(.other, message: "\(type(of: error))"))
            }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date.ISO8601FormatStyle().parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }

    private static func retryAfter(_ head: HTTPResponse, now: Date) -> Date? {
        HTTPField.Name("Retry-After").flatMap { head.headerFields[$0] }.flatMap(Double.init)
            .map { now.addingTimeInterval($0) }
    }

    private struct Envelope: Decodable {
        var error: Body

        struct Body: Decodable {
            var code: String
            var message: String?
            var field: String?
            var retryAt: String?
        }
    }
}

extension TransportFailure.Kind {
    fileprivate init(_ code: CurlError.Code) {
        self =
            switch code {
            case .dns, .connect: .offline
            case .tls: .tls
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .truncated: .truncated
            case .connectionLost: .connectionLost
            case .closed: .closed
            case .invalidRequest: .invalidRequest
            default: .other
            }
    }
}

extension DecodingError {
    /// The path and the description, without any of the payload.
    var location: (path: String, message: String) {
        switch self {
        case .keyNotFound(let key, let context): (Self.path(context.codingPath + [key]), "missing")
        case .valueNotFound(_, let context): (Self.path(context.codingPath), "null")
        case .typeMismatch(let type, let context): (Self.path(context.codingPath), "no \(type)")
        case .dataCorrupted(let context):
            (Self.path(context.codingPath), context.codingPath.isEmpty ? "not JSON" : "not readable")
        @unknown default: ("", "not readable")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path.isEmpty ? key.stringValue : path + "." + key.stringValue
        }
    }
}
#endif
