import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One upgrade in one line, for a pipe: everything but its age.
struct WatchLine: Encodable, Sendable, Hashable {
    var capability: String
    var stage: Stage
    var epoch: Int
    var attempt: Int
    var waitsFor: CapabilityStatus.Awaited
    var kill: KillSwitch.Target?
    var verdict: GateVerdict?
    var failures: Int?
    var units: Int?
    var logEvidence: Double?
    var threshold: Double?
    var asOf: String?
    /// What is missing in the evidence, and why.
    var gaps: [String]
    /// The progress of all operations together and of each one.
    var operations: [DecidedOperation]
    var secondsLeft: Int?
    /// What it means for users, and what happens next.
    var situation: Situation

    init(_ status: CapabilityStatus) {
        (capability, stage, epoch, attempt) = (status.capability, status.stage, status.epoch, status.attempt)
        (waitsFor, kill, verdict) = (status.waitsFor, status.kill?.target, status.gate.verdict)
        (failures, units) = (status.gate.failures, status.gate.units)
        (logEvidence, threshold, asOf) = (status.gate.logEvidence, status.gate.threshold, status.gate.asOf)
        gaps = status.gate.gaps
        (operations, secondsLeft) = (status.gate.operations, status.gate.secondsLeft)
        situation = status.situation
    }

    /// For people: the upgrade's ``Situation``, the operation that fails most, and what evidence is missing.
    var text: String {
        var parts = ["\(capability): \(situation.now)"]
        let failing = operations.filter { $0.name != nil && $0.begun.failures > 0 }
        if let worst = failing.max(by: { $0.begun.rate ?? 0 < $1.begun.rate ?? 0 }), let name = worst.name {
            parts.append("In `\(name)` \(worst.begun.failures.grouped) of \(worst.begun.total.grouped).")
        }
        if let reason = situation.reason { parts.append("Reason: \(reason).") }
        parts.append(situation.next)
        if let gap = gaps.first { parts.append("Missing evidence: \(gap)") }
        return parts.joined(separator: " ").escapedForTerminal
    }

    /// The line of JSON, with its newline.
    var json: String { get throws { try Self.line(self) } }

    static func problem(_ text: String, isJSON: Bool) throws -> String {
        isJSON ? try line(["problem": text]) : text.escapedForTerminal + "\n"
    }

    private static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
