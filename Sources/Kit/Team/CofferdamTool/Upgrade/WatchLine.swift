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

    init(_ status: CapabilityStatus) {
        (capability, stage, epoch, attempt) = (status.capability, status.stage, status.epoch, status.attempt)
        (waitsFor, kill, verdict) = (status.waitsFor, status.kill?.target, status.gate.verdict)
        (failures, units) = (status.gate.failures, status.gate.units)
        (logEvidence, threshold, asOf) = (status.gate.logEvidence, status.gate.threshold, status.gate.asOf)
        gaps = status.gate.gaps
        (operations, secondsLeft) = (status.gate.operations, status.gate.secondsLeft)
    }

    var text: String {
        var parts = [capability, stage.rawValue, "epoch \(epoch)", "attempt \(attempt)"]
        if let kill { parts.append("killed to \(kill.rawValue)") }
        if let verdict { parts.append("gate: \(verdict.rawValue)") }
        if let failures, let units { parts.append("\(failures) of \(units) failed") }
        if let logEvidence, let threshold { parts.append("ln E \(logEvidence.shown(3)) of \(threshold.shown(3))") }
        let failing = operations.filter { $0.name != nil && $0.begun.failures > 0 }
        if let worst = failing.max(by: { $0.begun.rate ?? 0 < $1.begun.rate ?? 0 }), let name = worst.name {
            parts.append("\(name): \(worst.begun) failed")
        }
        if let secondsLeft, secondsLeft > 0 {
            parts.append("enough units in \(ShownTime.span(seconds: Int64(secondsLeft)))")
        }
        if let gap = gaps.first { parts.append("missing evidence: \(gap)") }
        parts.append("waits for \(waitsFor.rawValue)")
        return parts.joined(separator: ", ").escapedForTerminal
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
