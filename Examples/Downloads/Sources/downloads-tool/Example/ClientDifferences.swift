import AsyncHTTPDownloads
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamTool
import DownloadsHTTP
import Foundation
import URLSessionDownloads

/// What the two clients make of the same answers when they are not told anything: what the adapters have to even out.
struct ClientDifferences {
    /// One answer of the server's, that may be odd, and its name.
    private struct Case {
        var name: String
        /// Sets the stage.
        var prepare: @Sendable (ServerStand) throws -> Void = { _ in }
        var address: @Sendable (ServerStand) -> String = { "\($0.address)/files/file/bytes" }
    }

    private static let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }

    private static let cases: [Case] =
        [
            VendorFault.status(503), .truncated, .wrongLength(by: 10), .wrongLength(by: -10), .malformedChunk,
            .conflictingLengths, .withoutLength, .chunked, .emptyReply, .reset, .redirectLoop,
        ]
        .map { fault in Case(name: "\(fault)") { try $0.inject(fault, on: "bytes", times: .max) } }
        + [
            Case(name: "an ordinary answer"),
            Case(name: "a body in gzip, unasked") { $0.server.encodeNext(.gzip, isForced: true) },
            Case(name: "a host that does not exist", address: { _ in "http://no-such-host.invalid/" }),
            Case(
                name: "TLS with a server that has none",
                address: { $0.address.replacing("http:", with: "https:") + "/files/file/bytes" }
            ),
        ]

    static func report(_ progress: ToolProgress? = nil) async throws -> DriftReport {
        var report = DriftReport(legacy: "urlsession", candidate: "async-http")
        for one in cases {
            progress?.show(one.name)
            let old = try await ask(one, askURLSession)
            let new = try await ask(one, askAsyncHTTPClient)
            let differences = old.keys.sorted().filter { old[$0] != new[$0] }.map {
                Difference(subject: one.name, path: $0, legacy: old[$0], candidate: new[$0])
            }
            report.add(call: one.name, compared: old.count, differences, knowing: known.flatMap(\.drifts))
        }
        return report
    }

    /// What a client makes of it, and what it has sent.
    private static func ask(
        _ one: Case,
        _ client: (String) async -> PlainAnswer
    ) async throws -> [String: String] {
        let stand = try await ServerStand.start()
        stand.put(bytes, as: "file")
        try one.prepare(stand)
        let answer = await client(one.address(stand))
        let requests = stand.proxy.requests()
        let headers =
            requests.first.map { String(decoding: $0.bytes, as: UTF8.self) }?.split(separator: "\r\n")
            .dropFirst().compactMap { $0.split(separator: ":").first?.lowercased() }.sorted() ?? []
        await stand.stop()
        let said =
            switch answer {
            case .answer(let status, let body) where body == bytes: "status \(status), the whole body"
            case .answer(let status, let body): "status \(status), \(body.count) bytes"
            case .error(let error): error
            }
        return ["answer": said, "requests": "\(requests.count)", "headers": headers.joined(separator: ", ")]
    }
}

extension ClientDifferences {
    /// A line for each difference.
    static func texts(of report: DriftReport) -> [String] { [] }

    /// What is known, as MIGRATION.md tells it.
    static let known: [DriftKnowledge] = []
}
