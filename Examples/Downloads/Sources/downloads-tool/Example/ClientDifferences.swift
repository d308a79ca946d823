import AsyncHTTPDownloads
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamTool
import DownloadsHTTP
import Foundation
import URLSessionDownloads

/// What the two clients make of the same answers with their default configurations: the differences that the adapters
/// have to hide.
struct ClientDifferences {
    /// One of the server's answers, often an odd one.
    private struct Case: Sendable {
        var name: String
        /// How often each client requests it.
        var times = 1
        /// Prepares the server.
        var prepare: @Sendable (ServerStand) throws -> Void = { _ in }
        var address: @Sendable (ServerStand) -> String = { "\($0.address)/files/file/bytes" }
    }

    private static let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }
    /// The longest time that a client may take. One that fails at once takes far less.
    private static let patience = Duration.seconds(3)

    private static let cases: [Case] =
        [
            VendorFault.status(503), .truncated, .wrongLength(by: 10), .wrongLength(by: -10), .malformedChunk,
            .conflictingLengths, .withoutLength, .chunked, .emptyReply, .reset, .redirectLoop,
        ]
        .map { fault in Case(name: "\(fault)", prepare: { try $0.inject(fault, on: "bytes", times: .max) }) } + [
            Case(name: "ordinary answer"),
            Case(name: "gzip, unasked", prepare: { $0.server.encodeNext(.gzip, isForced: true) }),
            Case(name: "cookie", times: 2, prepare: { $0.server.add("Set-Cookie: visit=1; Path=/") }),
            Case(name: "cacheable answer", times: 2, prepare: { $0.server.add("Cache-Control: max-age=600") }),
            Case(name: "no such host", address: { _ in "http://\(String(repeating: "absent", count: 12)).invalid" }),
            Case(
                name: "TLS with a server that has none",
                address: { $0.address.replacing("http:", with: "https:") + "/files/file/bytes" }
            ),
        ]

    static func report(_ progress: ToolProgress? = nil) async throws -> DriftReport {
        try await compare(progress).report
    }

    /// - Returns: the report, and a line for each difference.
    static func compare(_ progress: ToolProgress? = nil) async throws -> (report: DriftReport, texts: [String]) {
        var report = DriftReport(legacy: "urlsession", candidate: "async-http")
        var texts: [String] = []
        for one in cases {
            progress?.show(one.name)
            let old = try await ask(one) { await askURLSession($0, times: $1, patience: $2) }
            let new = try await ask(one) { await askAsyncHTTPClient($0, times: $1, patience: $2) }
            let differences = old.keys.sorted().filter { old[$0] != new[$0] }.map {
                Difference(subject: one.name, path: $0, legacy: old[$0], candidate: new[$0])
            }
            report.add(call: one.name, compared: old.count, differences, knowing: known.flatMap(\.drifts))
            texts += differences.map {
                "\(one.name), \($0.path): URLSession \($0.legacy ?? "nothing"); async-http-client \($0.candidate ?? "nothing")"
            }
        }
        return (report, texts)
    }

    /// Returns what a client makes of the answer, and what it has sent.
    private static func ask(
        _ one: Case,
        _ client: (String, _ times: Int, _ patience: Duration) async -> PlainAnswer
    ) async throws -> [String: String] {
        let stand = try await ServerStand.start()
        stand.put(bytes, as: "file")
        try one.prepare(stand)
        let start = ContinuousClock.now
        let answer = await client(one.address(stand), one.times, patience)
        let hasWaited = ContinuousClock.now - start >= patience
        let requests = stand.proxy.requests().map { headers(of: $0.bytes) }
        await stand.stop()
        let said =
            switch answer {
            case .answer(let status, let body) where body == bytes: "status \(status), the whole body"
            case .answer(let status, let body): "status \(status), \(body.count) bytes"
            case .error(let error): error
            }
        var seen = ["answer": said, "requests": "\(requests.count)"]
        seen["gives up"] = hasWaited ? "after its time-out" : "at once"
        if one.times > 1 { seen["cookie"] = requests.last?.contains("cookie") == true ? "sent back" : "not sent back" }
        if one.name == "ordinary answer" { seen["headers"] = requests.first?.joined(separator: ", ") }
        return seen
    }

    /// Returns the names of a request's headers.
    private static func headers(of request: [UInt8]) -> [String] {
        String(decoding: request, as: UTF8.self).split(separator: "\r\n").dropFirst()
            .compactMap { $0.split(separator: ":").first?.lowercased() }.sorted()
    }
}
