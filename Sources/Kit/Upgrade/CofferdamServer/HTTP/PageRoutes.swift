#if Server
import CofferdamFleet
import CofferdamPages
import CofferdamUpgrade
import HTTPTypes
import Logging

/// The routes that are open to everyone, and those for monitoring the server itself.
struct PageRoutes: Sendable {
    let parts: ServerParts

    var routes: [ServerRoute] {
        [
            ServerRoute(name: "GET /style.css", method: .get, path: ["style.css"], right: nil) { _, _, _ in
                Self.file(StyleSheet.text, type: "text/css; charset=utf-8")
            },
            ServerRoute(name: "GET /console.js", method: .get, path: ["console.js"], right: nil) { _, _, _ in
                Self.file(ConsoleScript.text, type: "text/javascript; charset=utf-8")
            },
            ServerRoute(name: "GET /healthz", method: .get, path: ["healthz"], right: nil, isHealth: true) {
                _,
                _,
                _ in
                .text("ok\n")
            },
            ServerRoute(name: "GET /readyz", method: .get, path: ["readyz"], right: nil, isHealth: true) {
                _,
                _,
                _ in
                try await ready()
            },
            ServerRoute(name: "GET /metrics", method: .get, path: ["metrics"], right: .readStatus) { _, _, _ in
                let text = parts.metrics.text(
                    stages: parts.upgrades.keys.sorted().compactMap(parts.hub.stage),
                    subscribers: parts.hub.subscriberCount,
                    connections: parts.connections,
                    droppedRefusals: parts.refusals.dropped
                )
                let counts = parts.sharedCounts?.metrics.text ?? ""
                return .text(text + counts, type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }

    /// - Throws: ``HTTPRefusal`` with 503.
    private func ready() async throws(HTTPRefusal) -> Reply {
        guard let problem = await parts.readiness.problem() else { return .text("ready\n") }
        throw HTTPRefusal.unavailable(problem)
    }

    private static func file(_ text: String, type: String) -> Reply {
        var reply = Reply.text(text, type: type)
        reply.headers[.cacheControl] = "max-age=300"
        return reply
    }
}
#endif
