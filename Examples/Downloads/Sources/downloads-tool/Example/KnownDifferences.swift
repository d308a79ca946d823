import CofferdamTool

extension ClientDifferences {
    /// What MIGRATION.md tells. Anything else, another value too, is a finding.
    static let known: [DriftKnowledge] = [
        DriftKnowledge(
            id: "D1",
            title: "A body that breaks off",
            drifts: ["truncated answer", "length wrong by 10", "malformed chunk"].map {
                answer("D1", $0, "URLError -1", "HTTPParserError", "the port says truncated")
            }
        ),
        DriftKnowledge(
            id: "D2",
            title: "Two lengths",
            drifts: [
                answer(
                    "D2",
                    "an answer with two lengths",
                    "status 200, the whole body",
                    "HTTPParserError",
                    "the port refuses it"
                )
            ]
        ),
        DriftKnowledge(
            id: "D3",
            title: "No answer",
            drifts: [
                answer(
                    "D3",
                    "empty reply",
                    "URLError -1011",
                    "HTTPClientError: Remote connection closed",
                    "the port says unreachable"
                ),
                answer("D3", "connection reset", "URLError -1005", "IOError", "the port says unreachable"),
            ]
        ),
        DriftKnowledge(
            id: "D4",
            title: "Redirections",
            drifts: [
                answer(
                    "D4",
                    "redirect loop",
                    "URLError -1007",
                    "HTTPClientError: Redirect cycle detected",
                    "the port says unknown"
                ),
                drift("D4", "redirect loop", "requests", "21", "1", "both adapters follow five"),
            ]
        ),
        DriftKnowledge(
            id: "D5",
            title: "What is sent unasked",
            drifts: [
                drift(
                    "D5",
                    "ordinary answer",
                    "headers",
                    "accept, accept-encoding, accept-language, connection, host, user-agent",
                    "accept-encoding, host",
                    "the server needs none of them"
                )
            ]
        ),
        DriftKnowledge(
            id: "D6",
            title: "Cookies",
            drifts: [
                drift("D6", "cookie", "cookie", "sent back", "not sent back", "the port is let in by its token")
            ]
        ),
        DriftKnowledge(
            id: "D7",
            title: "No connection",
            drifts: [("no such host", "URLError -1003", "NIOConnectionError"), (tls, "URLError -1", "NIOSSLError")]
                .flatMap { call, legacy, candidate in
                    [
                        answer("D7", call, legacy, candidate, "the port says unreachable"),
                        drift("D7", call, "gives up", "at once", "when its time is up", "the adapter tries once"),
                    ]
                }
        ),
    ]

    private static let tls = "TLS with a server that has none"

    private static func answer(
        _ id: String,
        _ call: String,
        _ legacy: String,
        _ candidate: String,
        _ reason: String
    ) -> KnownDrift {
        drift(id, call, "answer", legacy, candidate, reason)
    }

    private static func drift(
        _ id: String,
        _ call: String,
        _ path: String,
        _ legacy: String,
        _ candidate: String,
        _ reason: String
    ) -> KnownDrift {
        KnownDrift(id: id, call: call, path: path, reason: reason, legacy: [legacy], candidate: [candidate])
    }
}
