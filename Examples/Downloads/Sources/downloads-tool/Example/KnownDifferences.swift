import CofferdamContracts
import CofferdamTool

extension ClientDifferences {
    /// The differences in MIGRATION.md. Any other difference, or other value, is a finding.
    static let known: [DriftKnowledge] = [
        group("D1", "A body that breaks off", because: "the port says truncated") { because in
            ["truncated answer", "length wrong by 10", "malformed chunk"].map {
                because($0, "answer", "URLError -1", "HTTPParserError")
            }
        },
        group("D2", "Two lengths", because: "the port refuses them") { because in
            [because("an answer with two lengths", "answer", "status 200, the whole body", "HTTPParserError")]
        },
        group("D3", "No answer", because: "the port says unreachable") { because in
            [
                because("empty reply", "answer", "URLError -1011", "HTTPClientError: Remote connection closed"),
                because("connection reset", "answer", "URLError -1005", "IOError"),
            ]
        },
        group("D4", "Redirections", because: "both adapters follow five") { because in
            [
                because("redirect loop", "answer", "URLError -1007", "HTTPClientError: Redirect cycle detected"),
                because("redirect loop", "requests", "21", "1"),
            ]
        },
        group("D5", "Headers that are sent unasked", because: "the server needs none of them") { because in
            let sent = "accept, accept-encoding, accept-language, connection, host, user-agent"
            return [because("ordinary answer", "headers", sent, "accept-encoding, host")]
        },
        group("D6", "Cookies", because: "callers are let in by their token") { because in
            [because("cookie", "cookie", "sent back", "not sent back")]
        },
        group("D7", "No connection", because: "both adapters try once, and the port says unreachable") { because in
            let tls = "TLS with a server that has none"
            return [
                because("no such host", "answer", "URLError -1003", "NIOConnectionError"),
                because("no such host", "gives up", "at once", "after its time-out"),
                because(tls, "answer", "URLError -1", "NIOSSLError"),
                because(tls, "gives up", "at once", "after its time-out"),
            ]
        },
    ]

    private typealias Because = (_ call: String, _ path: String, _ legacy: String, _ candidate: String) -> KnownDrift

    private static func group(
        _ id: String,
        _ title: String,
        because reason: String,
        _ drifts: (Because) -> [KnownDrift]
    ) -> DriftKnowledge {
        let because: Because = {
            KnownDrift(id: id, call: $0, path: $1, reason: reason, legacy: [$2], candidate: [$3])
        }
        return DriftKnowledge(id: id, title: title, drifts: drifts(because))
    }
}
