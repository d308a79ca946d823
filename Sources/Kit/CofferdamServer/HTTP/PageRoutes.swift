#if Server
    import Cofferdam
    import CofferdamUpgrade
    import HTTPTypes

    /// The page for people, and the addresses for those who watch the server itself.
    struct PageRoutes: Sendable {
        let parts: ServerParts

        private static let shownEntries = 50

        var routes: [ServerRoute] {
            [
                ServerRoute(name: "GET /", method: .get, path: [], right: .readStatus, allowsBasic: true) {
                    _,
                    _,
                    _ in try await page()
                },
                ServerRoute(name: "GET /style.css", method: .get, path: ["style.css"], right: nil) { _, _, _ in
                    var reply = Reply.text(StatusPage.style, type: "text/css; charset=utf-8")
                    reply.headers[.cacheControl] = "max-age=300"
                    return reply
                },
                ServerRoute(name: "GET /healthz", method: .get, path: ["healthz"], right: nil) { _, _, _ in
                    .text("ok\n")
                },
                ServerRoute(name: "GET /readyz", method: .get, path: ["readyz"], right: nil) { _, _, _ in
                    for upgrade in parts.upgrades.values { _ = try await upgrade.store.read(upgrade.name) }
                    return .text("ready\n")
                },
                ServerRoute(name: "GET /metrics", method: .get, path: ["metrics"], right: .readStatus) { _, _, _ in
                    let text = parts.metrics.text(
                        stages: parts.upgrades.keys.sorted().compactMap(parts.hub.stage),
                        subscribers: parts.hub.subscriberCount,
                        droppedRefusals: parts.refusals.dropped
                    )
                    return .text(text, type: "text/plain; version=0.0.4; charset=utf-8")
                },
            ]
        }

        private func page() async throws -> Reply {
            var upgrades: [(StatusDocument, [AuditEntry])] = []
            for upgrade in parts.upgrades.values.sorted(by: { $0.name < $1.name }) {
                let history = try await upgrade.store.history(of: upgrade.name, last: Self.shownEntries)
                upgrades.append((StatusDocument(upgrade, try await upgrade.status()), history))
            }
            var reply = Reply.text(
                StatusPage(upgrades: upgrades, now: parts.configuration.now()).markup.description,
                type: "text/html; charset=utf-8"
            )
            reply.headers[.contentSecurityPolicy] =
                "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            return reply
        }
    }

    /// The page: each upgrade with its evidence, and the audit log. Read-only, without scripts.
    struct StatusPage {
        let upgrades: [(status: StatusDocument, history: [AuditEntry])]
        /// Milliseconds since 1970.
        let now: Int64

        var markup: Markup {
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <title>Upgrades</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <header><h1>Upgrades</h1><p class="muted">As of \(ServerTime.text(now))</p></header>
            <main>
            \(upgrades.map { Self.upgrade($0.status) })
            <section aria-labelledby="log"><h2 id="log">Audit log</h2>
            \(log)
            </section>
            </main>
            </body>
            </html>

            """
        }

        private static func upgrade(_ status: StatusDocument) -> Markup {
            """
            <section><h2>\(status.capability)</h2>
            \(kill(status))<dl>
            <div><dt>Stage</dt><dd>\(status.stage)\(share(status.stage))</dd></div>
            <div><dt>For</dt><dd>\(ServerTime.span(status.ageSeconds))</dd></div>
            <div><dt>Next</dt><dd>\(status.next?.rawValue ?? "none: the end of the plan")</dd></div>
            <div><dt>Plan</dt><dd>\(status.plan), epoch \(status.epoch), attempt \(status.attempt)</dd></div>
            \(change(status))\(waiting(status))\(freeze(status))</dl>
            \(gate(status))</section>

            """
        }

        private static func share(_ stage: Stage) -> String {
            switch stage {
            case .shadow(let share), .canary(let share), .candidateShadowed(let share):
                ": \(share.tenThousandths / 100).\(share.tenThousandths % 100 / 10)\(share.tenThousandths % 10) %"
            default: ""
            }
        }

        private static func kill(_ status: StatusDocument) -> Markup {
            guard let kill = status.kill else { return "" }
            return """
                <p class="bad" role="status"><strong>Kill switch at \(kill.target.rawValue)</strong>, \
                by \(kill.by): \(kill.reason)</p>

                """
        }

        private static func change(_ status: StatusDocument) -> Markup {
            guard let last = status.last else { return "" }
            return """
                <div><dt>Last change</dt><dd>\(last.action) by \(last.by): \(last.reason) \
                <time datetime="\(last.at)">\(last.at)</time></dd></div>

                """
        }

        private static func waiting(_ status: StatusDocument) -> Markup {
            guard let waiting = status.waiting else { return "" }
            return "<div><dt>Waits</dt><dd class=\"warn\">for a person: \(waiting.text)</dd></div>\n"
        }

        private static func freeze(_ status: StatusDocument) -> Markup {
            guard let freeze = status.freeze else { return "" }
            return "<div><dt>Freeze window</dt><dd class=\"warn\">nothing is promoted: \(freeze)</dd></div>\n"
        }

        private static func gate(_ status: StatusDocument) -> Markup {
            guard let gate = status.gate else { return "" }
            let reasons = gate.reasons.map { "<li>\($0)</li>\n" as Markup }
            return """
                <p>The gate says <strong>\(gate.verdict.rawValue)</strong>.</p>
                <ul>
                \(reasons)</ul>
                \(tests(gate.tests))
                """
        }

        private static func tests(_ tests: [StatusDocument.Test]) -> Markup {
            guard !tests.isEmpty else { return "" }
            let rows = tests.map { test -> Markup in
                """
                <tr><th scope="row">\(test.metric)</th><td>\(test.role)</td><td>\(test.failures)</td>\
                <td>\(test.units)</td><td>\(test.value.shown(2))</td><td>\(test.threshold.shown(2))</td>\
                <td>\(test.isReached ? "reached" : "–")</td></tr>

                """
            }
            return """
                <div class="scroll" role="region" aria-label="Tests" tabindex="0"><table>
                <thead><tr><th scope="col">Metric</th><th scope="col">Test</th><th scope="col">Failed</th>\
                <th scope="col">Units</th><th scope="col">Evidence, ln E</th><th scope="col">Required</th>\
                <th scope="col">Outcome</th></tr></thead>
                <tbody>
                \(rows)</tbody></table></div>

                """
        }

        private var log: Markup {
            let entries = upgrades.flatMap(\.history).sorted { $1.request.at < $0.request.at }
            guard !entries.isEmpty else { return "<p>Nothing was changed yet.</p>" }
            let rows = entries.map { entry -> Markup in
                """
                <tr><td><time datetime="\(ServerTime.text(entry.request.at))">\(ServerTime.text(entry.request.at))</time></td>\
                <td>\(entry.capability)</td><td>\(entry.request.action.name)</td><td>\(entry.before.stage)</td>\
                <td>\(entry.after.stage)</td><td>\(entry.request.by)</td><td>\(entry.request.reason)</td></tr>

                """
            }
            return """
                <div class="scroll" role="region" aria-labelledby="log" tabindex="0"><table>
                <thead><tr><th scope="col">When</th><th scope="col">Capability</th><th scope="col">What</th>\
                <th scope="col">From</th><th scope="col">To</th><th scope="col">Who</th><th scope="col">Why</th></tr></thead>
                <tbody>
                \(rows)</tbody></table></div>
                """
        }

        /// Each text colour has a contrast of at least 4.5 against the background.
        static let style = """
            :root { color-scheme: light dark; --bad: #a8071a; --warn: #7a4a00; --muted: #595959; --line: #8c8c8c; }
            @media (prefers-color-scheme: dark) {
              :root { --bad: #ff9c9c; --warn: #ffcf70; --muted: #a8a8a8; --line: #767676; }
            }
            body { margin: 0 auto; max-width: 70rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
              overflow-wrap: anywhere; }
            h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
            dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.5rem 1rem; margin: 0; }
            dt { color: var(--muted); } dd { margin: 0; }
            .bad { color: var(--bad); } .warn { color: var(--warn); } .muted { color: var(--muted); }
            .scroll { overflow-x: auto; } :focus-visible { outline: 3px solid; outline-offset: 2px; }
            table { border-collapse: collapse; width: 100%; }
            th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
            """
    }
#endif
