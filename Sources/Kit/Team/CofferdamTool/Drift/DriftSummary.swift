import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// A drift report for people: a line for each kind of drift, the most severe first, then a verdict.
struct DriftSummary {
    let report: DriftReport

    init(_ report: DriftReport) { self.report = report }

    func render(_ style: TerminalStyle) -> String {
        var table = TextTable([
            .init("TIER"), .init("ID"), .init("CALL"), .init("FIELD"), .right("TIMES"), .init("SUBJECT"),
            .init(report.legacy), .init(report.candidate), .init("WHY"),
        ])
        for kind in kinds {
            guard let example = kind.first else { continue }
            table.add([
                .init(example.tier.rawValue, example.tier.colour), .init(example.id ?? "–"), .init(example.call),
                .init(example.path), .init("\(kind.count)"), .init(example.subject),
                .init(Self.short(example.legacy)), .init(Self.short(example.candidate)),
                .init(example.reason ?? "", .dim),
            ])
        }
        return (table.isEmpty ? "" : table.render(style) + "\n") + verdict(style)
    }

    /// Undeclared differences are listed one by one; the others are grouped, with the first as the example.
    private var kinds: [[DriftReport.Drift]] {
        var order: [Kind] = []
        var byKind: [Kind: [DriftReport.Drift]] = [:]
        for (index, drift) in report.drifts.enumerated() {
            let kind = Kind(id: drift.id, call: drift.call, path: drift.path, single: drift.id == nil ? index : nil)
            if byKind[kind] == nil { order.append(kind) }
            byKind[kind, default: []].append(drift)
        }
        let kinds = order.compactMap { byKind[$0] }
        return DriftTier.allCases.reversed().flatMap { tier in kinds.filter { $0.first?.tier == tier } }
    }

    private struct Kind: Hashable {
        let id: String?
        let call: String
        let path: String
        let single: Int?
    }

    /// The shortened text; JSON has all of it.
    private static func short(_ text: String?) -> String {
        guard let text else { return "nothing" }
        return text.count > 32 ? text.prefix(31) + "…" : text
    }

    private func verdict(_ style: TerminalStyle) -> String {
        style.apply(report.isGreen ? .green : .red, to: "drift: \(report.summary)") + "\n"
    }
}

extension DriftTier {
    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .info: .dim
        case .warn: .yellow
        case .error: .red
        }
    }
}
