#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamUpgrade

/// The upgrades of a `cofferdam-server`, which decides on them.
struct ServerControls: UpgradeControls {
    let environment: ToolEnvironment
    private let upgrades: ServerUpgrades

    var note: String? { nil }

    /// - Throws: `UpgradeStoreError` for an invalid address, or without a token in the environment.
    init(_ address: String, environment: ToolEnvironment) throws(UpgradeStoreError) {
        let access = try ServerAccess(address, environment: environment.variables)
        self.environment = environment
        upgrades = ServerUpgrades(access.server())
    }

    // MARK: Reading

    func status(of capabilities: [UpgradeTooling.Capability]) async throws -> [CapabilityStatus] {
        let all = try await upgrades.statuses()
        return try capabilities.map { capability in
            guard let status = all.first(where: { $0.capability == capability.name }) else {
                let known = all.map(\.capability).joined(separator: ", ")
                throw UpgradeStoreError(
                    .unavailable,
                    "the server has no such upgrade; it has \(known)",
                    subject: capability.name
                )
            }
            return status
        }
    }

    /// The upgrades that the server has. Only ``planned(_:)`` asks for their plans, because a status needs none.
    func upgradesThere() async throws -> [UpgradeTooling.Capability] {
        let names = try await upgrades.statuses().map(\.capability).sorted()
        guard !names.isEmpty else {
            throw UpgradeStoreError(.unavailable, "the server has no upgrade", subject: "--server")
        }
        return names.map { UpgradeTooling.Capability($0, plan: .standard) }
    }

    func planned(_ capabilities: [UpgradeTooling.Capability]) async throws -> [UpgradeTooling.Capability] {
        let statuses = try await status(of: capabilities)
        // A loop, not `map`: Swift 6.3.1 crashes when it optimises an async function whose `map` has a closure that throws
        // both a typed and an untyped error (signal 11, "While splitting coroutine"). `.ci/run` builds this in release.
        var planned: [UpgradeTooling.Capability] = []
        for status in statuses {
            guard let plan = status.plan.flatMap(NamedPlan.init(rawValue:)) else {
                throw UpgradeStoreError(
                    .unreadable,
                    "this tool does not know the server's plan \(status.plan ?? "without a name")",
                    subject: status.capability
                )
            }
            planned.append(UpgradeTooling.Capability(status.capability, plan: try .named(plan)))
        }
        return planned
    }

    func history(of capabilities: [UpgradeTooling.Capability], last count: Int) async throws -> [HistoryLine] {
        var lines: [HistoryLine] = []
        for capability in capabilities { lines += try await upgrades.history(of: capability.name, last: count) }
        // A stable sort, which keeps the log's order within a second.
        let sorted = lines.enumerated().sorted { a, b in (b.element.at, a.offset) < (a.element.at, b.offset) }
        return sorted.prefix(count).map(\.element)
    }

    func explain(_ capability: UpgradeTooling.Capability) async throws -> DecisionReport {
        do {
            guard let report = try await upgrades.decisions(of: capability.name).first else {
                throw UpgradeStoreError(.unreadable, "the server gave no decision", subject: capability.name)
            }
            return report
        } catch let refused as RefusedChange {
            throw refused.refusal
        }
    }

    func explain(_ id: String, among capabilities: [UpgradeTooling.Capability]) async throws -> [DecisionReport] {
        var reports: [DecisionReport] = []
        for capability in capabilities { reports += try await upgrades.decisions(of: capability.name, entry: id) }
        return reports
    }

    func connected(_ capability: UpgradeTooling.Capability) async throws -> ConnectedDevices? {
        let status = try await status(of: [capability]).first
        // A build with one side keeps it.
        return status?.arms == nil ? status?.connected : nil
    }

    // MARK: Changing

    func seen(_ capability: UpgradeTooling.Capability) async throws -> (UpgradeRequest.Seen, next: Stage?) {
        guard let status = try await status(of: [capability]).first else {
            throw UpgradeStoreError(.unreadable, "the server gave no status", subject: capability.name)
        }
        return (.init(stage: status.stage, revision: status.revision ?? 0), status.next)
    }

    /// The server logs the name of the token, not `by`.
    func carryOut(
        _ move: RequestedChange,
        of capability: UpgradeTooling.Capability,
        by: String,
        reason: String,
        id: String,
        from seen: UpgradeRequest.Seen?,
        allowsUnknown: Bool
    ) async throws -> MadeChange {
        let made: ServerUpgrades.Made
        do {
            made = try await upgrades.carryOut(
                move,
                of: capability.name,
                reason: reason,
                id: id,
                from: seen,
                allowsUnknown: allowsUnknown
            )
        } catch var refused as RefusedChange {
            if refused.refusal.code == .unknownOperation {
                // The server names the field of its API.
                let message = refused.refusal.message
                refused.refusal.message = message.replacing(#""unknown": true"#, with: "--unknown")
            }
            throw refused
        }
        return MadeChange(line: made.entry, releaseSteps: made.releaseSteps, whyNotStored: made.why)
    }
}
#endif
