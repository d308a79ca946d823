import CofferdamUpgrade

/// What the commands do with upgrades, wherever these are kept: read and change them.
protocol UpgradeControls: Sendable {
    var environment: ToolEnvironment { get }
    /// A note below a status, such as that nothing is stored yet.
    var note: String? { get }

    /// The upgrades with the plans that apply to them there.
    func planned(_ capabilities: [UpgradeTooling.Capability]) async throws -> [UpgradeTooling.Capability]

    func status(of capabilities: [UpgradeTooling.Capability]) async throws -> [CapabilityStatus]

    /// The last entries of the log, newest first.
    func history(of capabilities: [UpgradeTooling.Capability], last count: Int) async throws -> [HistoryLine]

    /// Returns the gate's current decision.
    ///
    /// - Throws: `UpgradeRefusal` if there is no evidence that the gate could read.
    func explain(_ capability: UpgradeTooling.Capability) async throws -> DecisionReport

    /// Returns the decisions of the entries whose id is or begins with `id`.
    func explain(_ id: String, among capabilities: [UpgradeTooling.Capability]) async throws -> [DecisionReport]

    /// Returns what a step up is based on, and the stage that it leads to; nil at the end of the plan.
    func seen(_ capability: UpgradeTooling.Capability) async throws -> (UpgradeRequest.Seen, next: Stage?)

    /// Makes a change of one upgrade.
    ///
    /// - Parameters:
    ///   - id: names the entry of the log.
    ///   - seen: what a step up is based on.
    ///   - allowsUnknown: whether an override may be of an operation that a server does not know.
    /// - Throws: `RefusedChange` and `UpgradeRefusal`, after which nothing was changed; the store's errors.
    func carryOut(
        _ move: RequestedChange,
        of capability: UpgradeTooling.Capability,
        by: String,
        reason: String,
        id: String,
        from seen: UpgradeRequest.Seen?,
        allowsUnknown: Bool
    ) async throws -> MadeChange

    /// The devices that are connected, and how many have the last change; nil where devices follow no server.
    func connected(_ capability: UpgradeTooling.Capability) async throws -> ConnectedDevices?
}

extension UpgradeControls {
    func connected(_ capability: UpgradeTooling.Capability) async throws -> ConnectedDevices? { nil }

    /// Counts the connected devices that have the changes, twice a second until all have or ten seconds have passed.
    ///
    /// - Parameter tell: receives each count.
    func confirm(
        _ report: inout ChangeReport,
        of capabilities: [UpgradeTooling.Capability],
        _ tell: (String) -> Void
    ) async throws {
        for capability in capabilities where report.changes.contains(where: { $0.capability == capability.name }) {
            var left = 20
            while let connected = try await connected(capability) {
                report.connected = (report.connected ?? [:]).merging([capability.name: connected]) { $1 }
                guard !connected.isComplete, left > 0 else { break }
                tell("\(capability.name): \(connected.sentence)")
                left -= 1
                try await environment.sleep(.milliseconds(500))
            }
        }
    }
}

/// A change that was made.
struct MadeChange: Sendable {
    var line: HistoryLine
    /// The steps that the team's release process must take; nil if none.
    var releaseSteps: String?
    /// Why it is not stored yet, although it is in force; nil if it is.
    var whyNotStored: String?
}

extension UpgradeControls {
    /// Makes the change for each upgrade, even if it fails for others, or is interrupted.
    ///
    /// - Parameters:
    ///   - stage: the stage that a step up must lead to; nil for whichever is next.
    ///   - allowsUnknown: whether an override may be of an operation that a server does not know.
    func change(
        _ capabilities: [UpgradeTooling.Capability],
        _ move: RequestedChange,
        to stage: Stage? = nil,
        by: String,
        reason: String,
        allowsUnknown: Bool = false
    ) async throws -> ChangeReport {
        var report = ChangeReport()
        for capability in capabilities {
            let (name, id) = (capability.name, environment.newID())
            do {
                let (seen, next) = move.isStepUp ? try await self.seen(capability) : (nil, nil)
                if let stage, let seen, stage != next {
                    let end = next.map { "the next stage is \($0)" } ?? "there is no next stage"
                    throw UpgradeRefusal(.movedOn, "it is at \(seen.stage), and \(end), not \(stage)")
                }
                let made = try await carryOut(
                    move,
                    of: capability,
                    by: by,
                    reason: reason,
                    id: id,
                    from: seen,
                    allowsUnknown: allowsUnknown
                )
                report.add(made, move)
            } catch let refused as RefusedChange {
                report.refused += ChangeReport(refused.refusal, of: name, decided: refused.decision).refused
            } catch let refusal as UpgradeRefusal {
                report.refused += ChangeReport(refusal, of: name).refused
            } catch {
                // An interrupted change, too: those before it are made, and are reported.
                let isInterrupted = error is CancellationError
                let message =
                    isInterrupted ? "interrupted; the change may have been made: see the history" : "\(error)"
                report.failed.append(.init(capability: name, message: message, entry: id))
            }
        }
        return report
    }
}

extension ChangeReport {
    fileprivate mutating func add(_ made: MadeChange, _ move: RequestedChange) {
        let (line, name) = (made.line, made.line.capability)
        changes.append(line)
        if let why = made.whyNotStored { notStored = (notStored ?? []) + ["\(name): \(why)"] }
        if let steps = made.releaseSteps { withdraw = (withdraw ?? []) + ["\(name): \(steps)"] }
        if case .certain(.kill) = move, line.before.epoch == 0, line.before.kill == nil { neverBegun.append(name) }
    }
}
