import Cofferdam
import CofferdamUpgrade

/// What came of a change, as every command that changes something prints it with `--json`.
struct ChangeReport: Encodable, Sendable, Hashable {
    var changes: [HistoryLine] = []
    var refused: [Refused] = []
    var failed: [Failed] = []
    /// Of steps that ended `legacyOnly` and could not freeze what the legacy side did.
    var missingBaselines: [MissingBaseline] = []
    /// Upgrades whose kill switch was pulled although they had never begun: the app may keep its upgrade elsewhere.
    var neverBegun: [String] = []
    /// What the delivery must do, because the change moves no user by itself; nil for nothing.
    var withdraw: [String]?

    /// Why a step that was made has no baseline.
    struct MissingBaseline: Encodable, Sendable, Hashable {
        var capability: String
        var gaps: [String]
    }

    /// A rule forbids it, and nothing was changed.
    struct Refused: Encodable, Sendable, Hashable {
        var capability: String
        /// See ``UpgradeRefusal/Code``; and "noEvidence".
        var rule: String
        var message: String
        /// What the gate says, where the gate refuses.
        var explanation: String?
        /// What is missing of what the gate has read, and why.
        var gaps: [String] = []
    }

    /// The store could not be asked, or did not answer.
    struct Failed: Encodable, Sendable, Hashable {
        var capability: String
        var message: String
        /// Under which id the change stands in the log, if it was made after all.
        var entry: String
    }

    /// What was changed, for standard output.
    var text: String { changes.map { $0.sentence.escapedForTerminal + "\n" }.joined() }

    /// What was not, or not whole, for standard error.
    func problems(_ tool: String) -> String {
        var text = ""
        for missing in missingBaselines {
            let why = missing.gaps.joined(separator: "; ").escapedForTerminal
            text += "\(tool): \(missing.capability): the legacy side's baseline is not frozen by this step: \(why)"
            text += "; the next process that has watched enough of the legacy side adds it\n"
        }
        for capability in neverBegun {
            text += "\(tool): \(capability): this upgrade had never begun here. If users are on the candidate, "
            text += "the app keeps its upgrade elsewhere, and is not stopped: see --state, --etcd and --server\n"
        }
        for line in withdraw ?? [] { text += "\(tool): \(line.escapedForTerminal)\n" }
        for refused in refused {
            text += "\(tool): \(refused.capability): \(refused.message.escapedForTerminal) (\(refused.rule))\n"
            // A table that was made line by line of what is escaped.
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
    /// - Parameter decided: what the gate says, where the gate refuses.
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
    /// Nothing was counted in this epoch that the gate could read.
    static let noEvidence = Self(rawValue: "noEvidence")
}
