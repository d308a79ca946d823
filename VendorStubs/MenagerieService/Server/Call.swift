#if Sandbox
import Foundation

/// A parsed request.
struct Call: Sendable {
    let request: RecordedRequest
    /// The path's components after the API's name, decoded.
    let segments: [String]
    /// The service's origin as seen by the client, for URLs in answers: `http://HOST:PORT`.
    let origin: String
    private let parameters: [String: String]

    /// - Parameter prefix: the number of path components that name the API.
    init(_ request: RecordedRequest, prefix: Int, origin: String) {
        self.request = request
        self.origin = origin
        segments = Self.segments(of: request.path).dropFirst(prefix).map(Self.percentDecoded)
        var parameters: [String: String] = [:]
        for pair in request.query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1]).replacing("+", with: " ") : ""
            parameters[Self.percentDecoded(String(parts[0]))] = Self.percentDecoded(value)
        }
        self.parameters = parameters
    }

    /// Returns the decoded text, or the text itself if its escapes are invalid.
    private static func percentDecoded(_ text: String) -> String { text.removingPercentEncoding ?? text }

    static func segments(of path: String) -> [String] { path.split(separator: "/").map(String.init) }

    func header(_ name: String) -> String? { request.header(name) }

    /// Returns a query parameter; empty if it has no value, nil if it is missing.
    func parameter(_ name: String) -> String? { parameters[name] }

    /// Returns an integer query parameter.
    func integer(_ name: String, default standard: Int, atLeast least: Int) throws(Refusal) -> Int {
        guard let text = parameters[name] else { return standard }
        guard let value = Int(text), value >= least else {
            throw Refusal(.badRequest, "\(name) must be a whole number of at least \(least)", field: name)
        }
        return value
    }

    /// The token of `Authorization: Bearer TOKEN`.
    func bearerToken() throws(Refusal) -> String {
        let parts = (header("Authorization") ?? "").split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Refusal(.unauthenticated, "not signed in")
        }
        return String(parts[1])
    }

    /// The body, which must be a JSON object.
    func object() throws(Refusal) -> Fields {
        let value: JSON
        do {
            value = try JSON(reading: request.body)
        } catch {
            throw Refusal(.badRequest, "the body is not JSON")
        }
        guard case .object = value else { throw Refusal(.badRequest, "the body must be a JSON object") }
        return Fields(value: value, path: "")
    }
}

/// An object of a request's body with its path, so that errors name the field's path.
struct Fields: Sendable {
    let value: JSON
    let path: String

    private func fieldPath(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func string(_ name: String) throws(Refusal) -> String {
        guard case .string(let text)? = value[name] else { throw wrong(name, "a string") }
        return text
    }

    func optionalString(_ name: String) throws(Refusal) -> String? {
        switch value[name] {
        case nil, .null?: nil
        default: try string(name)
        }
    }

    func integer(_ name: String) throws(Refusal) -> Int64 {
        guard case .integer(let number)? = value[name] else { throw wrong(name, "a whole number") }
        return number
    }

    /// Returns a time in seconds since 1970, up to the year 9999, with millisecond precision.
    func moment(_ name: String) throws(Refusal) -> Timestamp {
        let seconds: Double
        switch value[name] {
        case .integer(let number)?: seconds = Double(number)
        case .number(let number)?: seconds = number
        default: throw wrong(name, "seconds since 1970")
        }
        guard (0..<253_402_300_800).contains(seconds) else { throw wrong(name, "seconds since 1970") }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }

    func object(_ name: String) throws(Refusal) -> Fields {
        guard let member = value[name], case .object = member else { throw wrong(name, "an object") }
        return Fields(value: member, path: fieldPath(name))
    }

    func objects(_ name: String) throws(Refusal) -> [Fields] {
        guard case .array(let elements)? = value[name] else { throw wrong(name, "an array") }
        return try elements.enumerated().map { index, element throws(Refusal) in
            guard case .object = element else { throw wrong("\(name)[\(index)]", "an object") }
            return Fields(value: element, path: fieldPath("\(name)[\(index)]"))
        }
    }

    /// Returns the elements of an optional array.
    func optionalElements(_ name: String) throws(Refusal) -> [JSON]? {
        guard let member = value[name] else { return nil }
        guard case .array(let elements) = member else { throw wrong(name, "an array") }
        return elements
    }
}
#endif
