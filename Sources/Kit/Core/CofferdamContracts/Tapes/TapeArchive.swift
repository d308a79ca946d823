public import Cofferdam  // for TapeError

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Tape {
    /// Returns the tape as an HTTP archive, to view in a browser's developer tools. A call becomes a request to
    /// "https://tape.invalid/NAME": a read is a GET, everything else a POST; the answer's status is 200, 500 for an
    /// error, 0 for a cancelled call.
    ///
    /// - Parameter start: when the recording began, in milliseconds since 1970, which the tape does not contain.
    /// - Returns: JSON in UTF-8, in the format HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/.
    /// - Throws: `TapeError` with `unrecordable`, but never for a tape that was read from a file.
    public func httpArchive(startingAt start: Int64 = 0) throws(TapeError) -> [UInt8] {
        do {
            let entries = try entries.map { try HTTPArchive.Entry($0, start: start) }
            let log = HTTPArchive.Log(comment: title, entries: entries)
            return [UInt8](try JSONEncoder.tape(isPretty: true).encode(HTTPArchive(log: log))) + [10]
        } catch {
            throw TapeError(.unrecordable, "the tape cannot be written as an HTTP archive: \(error)", subject: title)
        }
    }
}

/// HAR 1.2, with the fields that it requires.
private struct HTTPArchive: Encodable {
    let log: Log

    struct Log: Encodable {
        let version = "1.2"
        let creator = Creator()
        let comment: String
        let entries: [Entry]
    }

    struct Creator: Encodable {
        let name = "Cofferdam"
        let version = "\(Tape.formatVersion)"
    }

    struct Entry: Encodable {
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        let cache: [String: String] = [:]
        let timings: Timings
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion = "HTTP/1.1"
        let cookies: [Field] = []
        let headers: [Field] = []
        let queryString: [Field]
        let postData: Content?
        let headersSize = -1
        let bodySize: Int
    }

    struct Response: Encodable {
        let status: Int
        let statusText: String
        let httpVersion = "HTTP/1.1"
        let cookies: [Field] = []
        let headers: [Field] = []
        let content: Content
        let redirectURL = ""
        let headersSize = -1
        let bodySize: Int
    }

    struct Field: Encodable {
        let name: String
        let value: String
    }

    struct Content: Encodable {
        let size: Int?
        let mimeType = "application/json"
        let text: String
    }

    struct Timings: Encodable {
        let send: Double = 0
        let wait: Double
        let receive: Double
    }
}

extension HTTPArchive.Entry {
    init(_ entry: TapeEntry, start: Int64) throws {
        let began = Date(timeIntervalSince1970: Double(start) / 1000 + Double(entry.start) / 1_000_000)
        startedDateTime = began.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        time = Double(entry.took) / 1000
        let first = entry.items?.first.map { Double($0.at) / 1000 } ?? time
        timings = HTTPArchive.Timings(wait: min(first, time), receive: max(0, time - first))
        request = try HTTPArchive.Request(entry)
        response = try HTTPArchive.Response(entry)
    }
}

extension HTTPArchive.Request {
    init(_ entry: TapeEntry) throws {
        let isRead = entry.kind != .write
        method = isRead ? "GET" : "POST"
        url = "https://tape.invalid/" + entry.operation.percentEncoded
        let arguments: [String: TapeValue] = if case .object(let arguments) = entry.arguments { arguments } else { [:] }
        queryString =
            try isRead
            ? arguments.sorted { $0.key < $1.key }.map { HTTPArchive.Field(name: $0, value: try $1.json) } : []
        let body = isRead || arguments.isEmpty ? nil : try entry.arguments.json
        postData = body.map { HTTPArchive.Content(size: nil, text: $0) }
        bodySize = body?.utf8.count ?? 0
    }
}

extension HTTPArchive.Response {
    init(_ entry: TapeEntry) throws {
        var body = entry.items.map { items in
            TapeValue.array(items.map { .object(["at": .integer($0.at), "value": $0.value]) })
        }
        switch entry.outcome {
        case .returned(let value):
            (status, statusText) = (200, "OK")
            body = body ?? value
        case .failed(let failure):
            (status, statusText) = (500, failure.type)
            let failure = try TapeValue(encoding: failure)
            body = body.map { .object(["items": $0, "failed": failure]) } ?? failure
        case .cancelled: (status, statusText) = (0, "cancelled")
        }
        let text = try body?.json ?? ""
        content = HTTPArchive.Content(size: text.utf8.count, text: text)
        bodySize = text.utf8.count
    }
}

extension TapeValue {
    fileprivate var json: String {
        get throws {
            String(decoding: try JSONEncoder.tape(isPretty: false).encode([self]).dropFirst().dropLast(), as: UTF8.self)
        }
    }
}

extension String {
    /// The text with everything but RFC 3986's unreserved characters percent-encoded.
    fileprivate var percentEncoded: String {
        String(decoding: Secret(name: "", value: self).percentEncoded(isUpper: true), as: UTF8.self)
    }
}
