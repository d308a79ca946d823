import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// The outcome of a change, as every command that changes something prints it with `--json`.
struct ChangeReport: Encodable, Sendable, Hashable {
    var changes: [HistoryLine] = []
    var refused: [Refused] = []
    var failed: [Failed] = []
    /// Upgrades whose kill switch was pulled although they had never begun: the app may keep its upgrade elsewhere.
    var neverBegun: [String] = []
    /// The steps that the team's release process must take, because the change itself moves no user; nil if none.
    var withdraw: [String]?

    /// Changes that are in force, and that the server has not stored yet, with the reason; nil if none.
    var notStored: [String]?

    /// The connected devices, and how many have the change, by upgrade; nil where devices follow no server.
    var connected: [String: ConnectedDevices]?

    /// A change that a rule forbids. Nothing was changed.
    struct Refused: Encodable, Sendable, Hashable {
        var capability: String
        /// A ``UpgradeRefusal/Code``, or "noEvidence".
        var rule: String
        var message: String
        /// The gate's explanation, if the gate refuses.
        var explanation: String?
        /// What is missing in the evidence that the gate read, and why.
        var gaps: [String] = []
    }

    /// A change for which the store could not be reached, or did not answer.
    struct Failed: Encodable, Sendable, Hashable {
        var capability: String
        var message: String
        /// The id of the change in the log, if it was made after all.
        var entry: String
    }

    /// The changes made, for standard output.
    var text: String {
        changes.map { change in
            let reach =
                connected?[change.capability].map { "\($0.sentence) Others get it at their next start.\n" } ?? ""
            return change.sentence.escapedForTerminal + "\n" + reach
        }.joined()
    }

    /// What `resume` will do after a kill switch: one line for each kind of answer.
    func advice(_ tool: String) -> String {
        var lines: [String] = []
        for change in changes where change.action == "kill" {
            let line =
                switch (change.after.kill, change.after.stage) {
                case (.legacy, .legacyOnly): "does not bring V2 back: the upgrade stays at V1 only."
                case (.legacy, _): "does not bring V2 back: it continues with V1 only, as a new attempt."
                case (_, let stage): "continues with: \(stage.words)."
                }
            if !lines.contains(line) { lines.append(line) }
        }
        return lines.map { "`\(tool) upgrade resume` \($0)\n" }.joined()
    }

    /// The changes that were not made or are incomplete, for standard error.
    func problems(_ tool: String) -> String {
        var text = ""
        for capability in neverBegun {
            text += "\(tool): \(capability): this upgrade had never begun here. If users are on the candidate, "
            text += "the app keeps its upgrade elsewhere, and is not stopped: see --state, --etcd and --server\n"
        }
        for line in notStored ?? [] {
            text += "\(tool): \(line.escapedForTerminal): it is in force, and stored as soon as that is possible. "
            text += "Keep the server running\n"
        }
        for line in withdraw ?? [] { text += "\(tool): \(line.escapedForTerminal)\n" }
        for refused in refused {
            text += "\(tool): \(refused.capability): \(refused.message.escapedForTerminal) (\(refused.rule))\n"
            // The table's lines are escaped already.
            if let explanation = refused.explanation { text += "\n" + explanation }
            text += EvidenceGaps.text(refused.gaps)
        }
        for failed in failed {
            text += "\(tool): \(failed.capability): \(failed.message.escapedForTerminal)\n"
        }
        return text
    }
}

extension ChangeReport {
    /// - Parameter decided: the gate's decision, if the gate refuses.
    init(_ refusal: UpgradeRefusal, of capability: String, decided: DecisionReport? = nil) {
        let refused = Refused(
            capability: capability,
            rule: refusal.code.rawValue,
            message: refusal.message,
            explanation: decided?.explanation,
            gaps: decided?.gaps ?? []
        )
        self.init(refused: [refused])
    }
}

extension UpgradeRefusal.Code {
    /// The gate could read no counts of this epoch.
    static let noEvidence = Self(rawValue: "noEvidence")
}
