#if Server
    import CofferdamUpgrade
    import Foundation

    /// The status of an upgrade, as `GET /v1/capabilities/{name}` answers it.
    struct StatusDocument: Encodable, Sendable {
        struct Kill: Encodable, Sendable {
            var target: KillSwitch.Target
            var by: String
            var reason: String
        }

        struct Test: Encodable, Sendable {
            var metric: String
            /// "promote", "rollBack" or "veto".
            var role: String
            var failures: Int
            var units: Int
            /// ln E, and what it must reach.
            var value: Double
            var threshold: Double
            var isReached: Bool
        }

        struct Gate: Encodable, Sendable {
            var verdict: GateVerdict
            var reasons: [String]
            var tests: [Test]
            var operations: [DecidedOperation]
            /// For people: each number with its threshold.
            var explanation: String?
        }

        struct Entry: Encodable, Sendable {
            var id: String
            var at: String
            var action: String
            var by: String
            var reason: String
            var verdict: GateVerdict?
            var before: AuditEntry.Position
            var after: AuditEntry.Position

            init(_ entry: AuditEntry) {
                (id, at) = (entry.id, ServerTime.text(entry.request.at))
                (action, by, reason) = (entry.request.action.name, entry.request.by, entry.request.reason)
                verdict = entry.request.action.decision?.verdict
                (before, after) = (entry.before, entry.after)
            }
        }

        var capability: String
        var plan: String
        var stage: Stage
        var next: Stage?
        var epoch: Int
        var attempt: Int
        /// Seconds of this epoch.
        var ageSeconds: Int
        var waiting: UpgradeState.Waiting?
        var kill: Kill?
        var overrides: [String: Stage]?
        /// The freeze window that it is now.
        var freeze: String?
        var revision: Int64
        var last: Entry?
        var gate: Gate?
        var history: [Entry]?

        /// - Parameters:
        ///   - history: newest first; nil for an overview.
        init(_ upgrade: HostedUpgrade, _ status: HostedUpgrade.Status, history: [AuditEntry]? = nil) {
            (capability, plan) = (upgrade.name, upgrade.planName)
            (stage, next, epoch) = (status.state.stage, status.next, status.state.epoch)
            (attempt, ageSeconds, waiting) = (status.state.attempt, status.ageSeconds, status.state.waiting)
            kill = status.stored?.kill.map { Kill(target: $0.target, by: $0.by, reason: $0.reason) }
            overrides = status.state.overrides.isEmpty ? nil : status.state.overrides
            freeze = upgrade.store.freezes.current?.description
            revision = status.stored?.revision ?? 0
            last = status.last.map(Entry.init)
            gate = status.decision.map { Gate($0, isWhole: history != nil) }
            self.history = history?.map(Entry.init)
        }
    }

    extension StatusDocument.Gate {
        init(_ decision: Decision, isWhole: Bool) {
            (verdict, reasons) = (decision.verdict, decision.reasons.map(\.description))
            tests = decision.tests.map { test in
                StatusDocument.Test(
                    metric: test.metric.rawValue,
                    role: "\(test.role)",
                    failures: test.counts.failures,
                    units: test.counts.total,
                    value: test.value,
                    threshold: test.threshold,
                    isReached: test.isReached
                )
            }
            operations = decision.operations ?? []
            explanation = isWhole ? decision.explanation : nil
        }
    }

    /// Times for people and machines.
    enum ServerTime {
        /// RFC 3339, in UTC, to the second.
        static func text(_ milliseconds: Int64) -> String {
            Date(timeIntervalSince1970: Double(milliseconds / 1_000)).ISO8601Format()
        }

        /// The two largest parts: "3 d 4 h".
        static func span(_ seconds: Int) -> String {
            let parts = [
                (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
            ]
            let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            return shown.isEmpty ? "0 s" : shown.joined(separator: " ")
        }
    }
#endif
