#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade

/// Counts requests, for `/metrics`.
final class ServerMetrics: Sendable {
    private struct Key: Hashable, Comparable {
        var route: String
        var status: Int

        static func < (a: Key, b: Key) -> Bool { (a.route, a.status) < (b.route, b.status) }
    }

    private struct State {
        var requests: [Key: Int] = [:]
        var counted = 0
        var outdated = 0
        var dropped = 0
    }

    private let state = Mutex(State())

    /// - Parameter route: one of the server's own route names, never the client's text.
    func count(_ route: String, status: Int) {
        state.withLock { $0.requests[Key(route: route, status: status), default: 0] += 1 }
    }

    /// The number of requests that were answered with 200 by these routes.
    func requests(of routes: Set<String>) -> Int {
        state.withLock {
            $0.requests.filter { routes.contains($0.key.route) && $0.key.status == 200 }.values.reduce(0, +)
        }
    }

    func count(_ receipt: EvidenceIntake.Receipt) {
        state.withLock { state in
            state.counted += receipt.counted
            state.outdated += receipt.outdated
            state.dropped += receipt.dropped
        }
    }

    /// The text format of Prometheus, version 0.0.4.
    func text(
        stages: [ServedStage],
        subscribers: Int,
        connections: OpenConnections,
        droppedRefusals: Int
    ) -> String {
        let state = state.withLock { $0 }
        var text = """
            # HELP cofferdam_requests_total Requests by route and status.
            # TYPE cofferdam_requests_total counter

            """
        for (key, count) in state.requests.sorted(by: { $0.key < $1.key }) {
            text += "cofferdam_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)\n"
        }
        text += """
            # HELP cofferdam_reported_units_total Units in accepted reports, repeated ones too.
            # TYPE cofferdam_reported_units_total counter
            cofferdam_reported_units_total{epoch="current"} \(state.counted)
            cofferdam_reported_units_total{epoch="other"} \(state.outdated)
            # HELP cofferdam_dropped_total Units that count nowhere, and what devices report of unknown operations.
            # TYPE cofferdam_dropped_total counter
            cofferdam_dropped_total \(state.dropped)
            # HELP cofferdam_subscribers Open long polls and event streams.
            # TYPE cofferdam_subscribers gauge
            cofferdam_subscribers \(subscribers)
            # HELP cofferdam_connections Open connections.
            # TYPE cofferdam_connections gauge
            cofferdam_connections \(connections.counts.open)
            # HELP cofferdam_connections_refused_total Connections that a limit closed.
            # TYPE cofferdam_connections_refused_total counter

            """
        for refusal in OpenConnections.Refusal.allCases {
            text += "cofferdam_connections_refused_total{limit=\"\(refusal)\"}"
            text += " \(connections.counts.refused[refusal, default: 0])\n"
        }
        text += """
            # HELP cofferdam_audit_dropped_total Refused requests that the audit log lacks.
            # TYPE cofferdam_audit_dropped_total counter
            cofferdam_audit_dropped_total \(droppedRefusals)
            # HELP cofferdam_epoch The epoch of a capability, with its stage.
            # TYPE cofferdam_epoch gauge

            """
        for stage in stages {
            let kill = stage.kill?.rawValue ?? ""
            text +=
                "cofferdam_epoch{capability=\"\(stage.capability)\",stage=\"\(stage.stage.kind)\",kill=\"\(kill)\"}"
            text += " \(stage.epoch)\n"
        }
        return text
    }
}
#endif
