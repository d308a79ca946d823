#if Fleet
public import Cofferdam  // an error with a code

import CofferdamCurl
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client for instant queries of Prometheus's HTTP API.
struct PrometheusClient: Sendable {
    typealias Transport = @Sendable (_ query: String) async throws -> (status: Int, body: [UInt8])

    /// One series' value and labels.
    struct Sample: Sendable, Hashable {
        var labels: [String: String]
        /// As Prometheus writes it: "12", "NaN".
        var value: String
    }

    struct PastSample: Sendable, Hashable {
        var sample: Sample
        /// Since 1970.
        var milliseconds: Int64
    }

    private let transport: Transport
    private let authorization: PrometheusAuthorization?

    init(authorization: PrometheusAuthorization? = nil, _ transport: @escaping Transport) {
        self.authorization = authorization
        self.transport = transport
    }

    /// - Parameter endpoint: "http://127.0.0.1:9090".
    init(endpoint: String, client: CurlClient, authorization: PrometheusAuthorization?) {
        let base = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.init(authorization: authorization) { query in
            var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            if let authorization { fields[.authorization] = try authorization.value() }
            let request = try HTTPRequest(.post, url: base + "/api/v1/query", headerFields: fields)
            let reply = try await client.send(request, body: .bytes(Array("query=\(Self.escaped(query))".utf8)))
            return (reply.head.status.code, Array(reply.body))
        }
    }

    /// The series in the query's result, which may be empty.
    ///
    /// - Throws: ``PrometheusError``; `CancellationError`.
    func samples(_ query: String) async throws -> [Sample] {
        try await series(query, of: "vector").flatMap(\.samples).map(\.sample)
    }

    /// The values in the result of a query for a range, each with its time.
    ///
    /// - Parameter isRange: false for a query for the present.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    func pastSamples(_ query: String, isRange: Bool = true) async throws -> [PastSample] {
        try await series(query, of: isRange ? "matrix" : "vector").flatMap(\.samples)
    }

    private func series(_ query: String, of kind: String) async throws -> [Answer.Series] {
        do {
            return try await answer(to: query, kind)
        } catch var error as PrometheusError {
            if let authorization { error.message = authorization.redacting(error.message) }
            throw error
        }
    }

    private func answer(to query: String, _ kind: String) async throws -> [Answer.Series] {
        let reply: (status: Int, body: [UInt8])
        do {
            reply = try await transport(query)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw PrometheusError(.unavailable, "Prometheus cannot be queried: \(error)", query: query)
        }
        // Errors are JSON too, with a status other than 200.
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(reply.body))
        guard reply.status == 200, let answer, answer.status == "success", let data = answer.data else {
            let said = answer?.error.map { ": \($0)" } ?? ""
            throw PrometheusError(.unavailable, "Prometheus answers \(reply.status)\(said)", query: query)
        }
        if let warning = answer.warnings?.first {
            throw PrometheusError(.incomplete, "Prometheus warns: \(warning)", query: query)
        }
        guard data.resultType == kind else {
            throw PrometheusError(.unavailable, "Prometheus answers with a \(data.resultType)", query: query)
        }
        return data.result
    }

    /// The text as a quoted string of a query.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\\": quoted += "\\\\"
            case "\"": quoted += "\\\""
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            let isPlain =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            let digits = String(byte, radix: 16, uppercase: true)
            escaped += isPlain ? String(UnicodeScalar(byte)) : (digits.count < 2 ? "%0" : "%") + digits
        }
        return escaped
    }

    private struct Answer: Decodable {
        var status: String
        var data: Content?
        var error: String?
        var warnings: [String]?

        struct Content: Decodable {
            var resultType: String
            var result: [Series]
        }

        /// A series has one value in a vector, and several in a matrix.
        struct Series: Decodable {
            var metric: [String: String]
            var value: Value?
            var values: [Value]?

            var samples: [PastSample] {
                (values ?? value.map { [$0] } ?? []).map { value in
                    PastSample(
                        sample: Sample(labels: metric, value: value.text),
                        milliseconds: Int64(exactly: (value.seconds * 1_000).rounded()) ?? 0
                    )
                }
            }
        }

        /// [1700000000.123, "12"].
        struct Value: Decodable {
            var seconds: Double
            var text: String

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                seconds = try container.decode(Double.self)
                text = try container.decode(String.self)
            }
        }
    }
}

/// Why Prometheus gave no evidence.
public struct PrometheusError: CodedError, Hashable {
    /// The kind of the error.
    public var code: Code
    /// The message, for people.
    package var message: String
    /// The query.
    var query: String

    package init(_ code: Code, _ message: String, query: String) {
        self.code = code
        self.message = message
        self.query = query
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Prometheus cannot be reached, or its answer is invalid.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Prometheus answers, but warns that the result is incomplete.
        public static let incomplete = Code(rawValue: "incomplete")
    }

    /// The message and the query.
    public var description: String { "\(message) (\(query))" }
}
#endif
