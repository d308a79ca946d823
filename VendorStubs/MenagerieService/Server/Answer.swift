#if Sandbox
import HTTPTypes
import Hummingbird

/// The answer to a call.
struct Answer: Sendable {
    /// Sends one piece of a stream.
    typealias Send = @concurrent (String) async throws -> Void

    enum Body: Sendable {
        case json(JSON)
        case bytes([UInt8], contentType: String)
        /// Server-sent events; the closure returns when the stream ends.
        case events(@concurrent @Sendable (Send) async throws -> Void)
        case nothing
    }

    var status: Int
    var headers: [(name: HTTPField.Name, value: String)] = []
    var body: Body

    static func json(_ value: JSON, status: Int = 200) -> Answer {
        Answer(status: status, body: .json(value))
    }

    static func picture(_ picture: Picture) -> Answer {
        Answer(status: 200, body: .bytes(picture.bytes, contentType: picture.contentType))
    }

    /// Returns a picture, or only its tag for a client that has it already.
    static func picture(_ picture: Picture, to call: Call) -> Answer {
        let isKnown = call.header("If-None-Match") == picture.tag
        var answer = isKnown ? Answer(status: 304, body: .nothing) : Answer.picture(picture)
        answer.headers.append((.eTag, picture.tag))
        return answer
    }

    static func events(_ stream: @concurrent @escaping @Sendable (Send) async throws -> Void) -> Answer {
        Answer(status: 200, headers: [(.cacheControl, "no-store")], body: .events(stream))
    }

    /// Returns the answer encoded, if the client accepts the coding.
    func encoded(by coding: ContentCoding, for call: Call) throws -> Answer {
        let accepted = (call.header("Accept-Encoding") ?? "").split(separator: ",").map {
            $0.prefix { $0 != ";" }.filter { $0 != " " }
        }
        guard accepted.contains(coding.rawValue) else { return self }
        var encoded = self
        switch body {
        case .json(let value): encoded.body = .bytes(coding.encoded(try value.text()), contentType: "application/json")
        case .bytes(let bytes, let type): encoded.body = .bytes(coding.encoded(bytes), contentType: type)
        case .events, .nothing: return self
        }
        encoded.headers.append((.contentEncoding, coding.rawValue))
        return encoded
    }

    static let nothing = Answer(status: 204, body: .nothing)

    /// The fields of the head.
    var fields: HTTPFields {
        var fields = HTTPFields()
        for (name, value) in headers { fields[name] = value }
        switch body {
        case .json: fields[.contentType] = "application/json; charset=utf-8"
        case .bytes(_, let contentType): fields[.contentType] = contentType
        case .events: fields[.contentType] = "text/event-stream; charset=utf-8"
        case .nothing: break
        }
        return fields
    }
}

/// One event of a stream, as text.
func serverSentEvent(_ name: String, id: Int? = nil, _ data: JSON) throws -> String {
    let number = id.map { "id: \($0)\n" } ?? ""
    return "\(number)event: \(name)\ndata: \(String(decoding: try data.text(), as: UTF8.self))\n\n"
}
#endif
