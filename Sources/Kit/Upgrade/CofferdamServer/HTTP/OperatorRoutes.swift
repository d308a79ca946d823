#if Server
import CofferdamUpgrade
import HTTPTypes
import Logging

/// The routes for people and their tools, which read and change upgrades.
struct OperatorRoutes: Sendable {
    let parts: ServerParts

    var routes: [ServerRoute] {
        let capabilities = "/v1/capabilities"
        return [
            ServerRoute(
                name: "GET \(capabilities)",
                method: .get,
                path: ["v1", "capabilities"],
                right: .readStatus
            ) { _, _, _ in try await overview() },
            ServerRoute(
                name: "GET \(capabilities)/{name}",
                method: .get,
                path: ["v1", "capabilities", nil],
                right: .readStatus
            ) { call, _, _ in try await status(call) },
            ServerRoute(
                name: "GET \(capabilities)/{name}/decisions",
                method: .get,
                path: ["v1", "capabilities", nil, "decisions"],
                right: .readStatus
            ) { call, _, _ in try await decisions(call) },
            ServerRoute(name: "GET /v1/refusals", method: .get, path: ["v1", "refusals"], right: .readRefusals) {
                call,
                _,
                _ in try await refusals(call)
            },
        ]
            + UpgradeRequestBody.changes.map { move in
                ServerRoute(
                    name: "POST \(capabilities)/{name}/\(move)",
                    method: .post,
                    path: ["v1", "capabilities", nil, move],
                    right: .change,
                    isStop: UpgradeRequestBody.stops.contains(move)
                ) { call, body, _ in try await change(call, body, move) }
            }
    }

    // MARK: Reading

    private struct Overview: Encodable {
        var capabilities: [CapabilityStatus]
    }

    private func overview() async throws -> Reply {
        var documents: [CapabilityStatus] = []
        for upgrade in parts.upgrades.values.sorted(by: { $0.name < $1.name }) {
            documents.append(try await parts.status(of: upgrade).document)
        }
        return try .json(Overview(capabilities: documents))
    }

    private func status(_ call: Call) async throws -> Reply {
        let upgrade = try parts.upgrade(call.path[2])
        let count = try call.count("history", default: 50)
        return try .json(try await parts.status(of: upgrade, history: count).document)
    }

    private struct Decisions: Encodable {
        var decisions: [DecisionReport]
    }

    /// The gate's current decision, or the recomputed decisions of the entries whose id begins with `entry`.
    private func decisions(_ call: Call) async throws -> Reply {
        let upgrade = try parts.upgrade(call.path[2])
        let reports: [DecisionReport]
        if let entry = call.query["entry"] {
            guard ControlPlaneConfiguration.isName(entry) else {
                throw HTTPRefusal(
                    .badRequest,
                    "invalidParameter",
                    "entry must be the id of an entry, or its beginning"
                )
            }
            reports = try await upgrade.store.decisions(ofEntry: entry, of: upgrade.name, plan: upgrade.plan)
        } else {
            reports = [try await upgrade.explanation()]
        }
        return try .json(Decisions(decisions: reports))
    }

    private struct Refusals: Encodable {
        var refusals: [RefusedRequest]
    }

    private func refusals(_ call: Call) async throws -> Reply {
        try .json(Refusals(refusals: try await parts.refusals.last(call.count("last", default: 100))))
    }

    // MARK: Changing

    private struct Changed: Encodable {
        var entry: HistoryLine
        /// The steps that the team's release process must take; nil if none.
        var releaseSteps: String?
        /// The number of devices that were connected when it was made, and were sent it.
        var delivered: Int
        /// Whether it is in the database. A stop is in force before it is.
        var stored: Bool
        /// Why it is not stored yet; nil if it is.
        var why: String?
    }

    private func change(_ call: Call, _ body: [UInt8], _ name: String) async throws -> Reply {
        let upgrade = try parts.upgrade(call.path[2])
        let order = try ServerJSON.decode(UpgradeRequestBody.self, body)
        let made = try await parts.carryOut(name, order, on: upgrade, call, id: try call.id)
        let changed = Changed(
            entry: HistoryLine(made.entry),
            // The change is made even if its builds cannot be named.
            releaseSteps: made.whyNotStored == nil ? try? await upgrade.releaseSteps() : nil,
            delivered: parts.hub.connected(of: upgrade.name, isRecent: true).all,
            stored: made.whyNotStored == nil,
            why: made.whyNotStored
        )
        return try .json(changed, status: changed.stored ? .ok : .accepted)
    }
}
#endif
