import Cofferdam
import CofferdamUpgrade

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One upgrade in one line, for a pipe: all but how old it is.
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
    /// What is missing of the evidence, and why.
    var gaps: [String]

    init(_ status: CapabilityStatus) {
        (capability, stage, epoch, attempt) = (status.capability, status.stage, status.epoch, status.attempt)
        (waitsFor, kill, verdict) = (status.waitsFor, status.kill?.target, status.gate.verdict)
        (failures, units) = (status.gate.failures, status.gate.units)
        (logEvidence, threshold, asOf) = (status.gate.logEvidence, status.gate.threshold, status.gate.asOf)
        gaps = status.gate.gaps
    }

    var text: String {
        var parts = [capability, stage.rawValue, "epoch \(epoch)", "attempt \(attempt)"]
        if let kill { parts.append("killed to \(kill.rawValue)") }
        if let verdict { parts.append("gate: \(verdict.rawValue)") }
        if let failures, let units { parts.append("\(failures) of \(units) failed") }
        if let logEvidence, let threshold { parts.append("ln E \(logEvidence.shown(3)) of \(threshold.shown(3))") }
        if let gap = gaps.first { parts.append("missing evidence: \(gap)") }
        parts.append("waits for \(waitsFor.rawValue)")
        return parts.joined(separator: ", ").escapedForTerminal
    }

    /// With the line's end.
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
