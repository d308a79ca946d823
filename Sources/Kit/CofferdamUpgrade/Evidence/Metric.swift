/// The name of a pair of counters: how many of how many. An app may add its own.
///
/// The text is the metric's name, then `+open` where windows that are still open count too, then `/` and an operation where it is
/// one operation's: "candidateFailures", "candidateFailures+open/search".
public struct Metric: RawRepresentable, Sendable, Hashable, Codable, CodingKeyRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { rawValue = name }

    /// k of n: units in which the two sides do not say the same.
    public static let comparison = Metric("comparison")
    /// k of n: units in which the two sides give different answers, of those that both sides answered. It judges the comparisons
    /// where failures are judged against the legacy side's own: see ``GateSettings/relativeFactor``.
    public static let mismatches = Metric("mismatches")
    /// Sampled units that say nothing about the candidate, without those of expected differences.
    public static let uncounted = Metric("uncounted")
    /// Compared units in which the legacy side disagreed with itself.
    public static let noise = Metric("noise")
    /// Units in which the candidate failed alone, of those in which one side did.
    public static let pairedFailures = Metric("pairedFailures")
    /// Compared units in which the candidate alone was slow, of those in which one side was.
    public static let pairedSlow = Metric("pairedSlow")
    /// The candidate's units that failed.
    public static let candidateFailures = Metric("candidateFailures")
    /// The canary's units that failed, of all that failed on their own side.
    public static let canaryFailures = Metric("canaryFailures")
    /// The canary's units that met a slow call, of all that did on their own side.
    public static let canarySlow = Metric("canarySlow")
    /// The canary's units that gave up waiting, of all that did on their own side.
    public static let canaryGaveUp = Metric("canaryGaveUp")
    /// The canary's units, of all.
    public static let activeUnits = Metric("activeUnits")
    /// The candidate's units that met a slow call; shown, and read by no gate.
    public static let slow = Metric("slow")
    /// The candidate's units that gave up waiting.
    public static let gaveUp = Metric("gaveUp")
    /// How often opening the candidate failed, of all openings; shown, and read by no gate.
    public static let openings = Metric("openings")
    /// The legacy side's units that failed, before the epoch.
    public static let legacyFailures = Metric("legacyFailures")
    /// The legacy side's units that gave up waiting, before the epoch.
    public static let legacyGaveUp = Metric("legacyGaveUp")
    /// Named units for which the candidate failed, of those that it was asked by, those with an open window too: see ``NamedUnits``.
    /// Shown; no gate may read it.
    public static let namedFailures = Metric("namedFailures")
    /// Named units that got that kind of answer, of those that the candidate was asked by. Shown; no gate may read it.
    public static func namedAnswers(_ kind: String) -> Metric { Metric(namedAnswersPrefix + kind) }
    /// Units in which the sides differ as an expected difference says.
    public static func expected(_ id: String) -> Metric { Metric(expectedPrefix + id) }
    /// The canary's units that got that kind of answer, of all that got it from their own side.
    public static func canaryAnswers(_ kind: String) -> Metric { Metric(canaryAnswersPrefix + kind) }
    /// The candidate's units that got that kind of answer, of all its units.
    public static func candidateAnswers(_ kind: String) -> Metric { Metric(candidateAnswersPrefix + kind) }
    /// The legacy side's units that got that kind of answer, before the epoch.
    public static func legacyAnswers(_ kind: String) -> Metric { Metric(legacyAnswersPrefix + kind) }

    /// Every kind of ``canaryAnswers(_:)`` that was counted.
    public static let anyCanaryAnswer = Metric(canaryAnswersPrefix + "*")
    /// Every kind of ``candidateAnswers(_:)`` that was counted.
    public static let anyCandidateAnswer = Metric(candidateAnswersPrefix + "*")
    /// ``legacyAnswers(_:)`` of the kind that is looked at.
    public static let anyLegacyAnswer = Metric(legacyAnswersPrefix + "*")

    private static let expectedPrefix = "expected."
    private static let canaryAnswersPrefix = "canaryAnswers."
    private static let candidateAnswersPrefix = "candidateAnswers."
    private static let legacyAnswersPrefix = "legacyAnswers."
    private static let namedAnswersPrefix = "namedAnswers."

    /// Those that an ``EvidenceRecorder`` writes by itself.
    public static let written: Set<Metric> = {
        let settled: Set<Metric> = [
            .comparison, .mismatches, .uncounted, .noise, .pairedFailures, .pairedSlow, .candidateFailures,
            .canaryFailures, .canarySlow, .canaryGaveUp, .activeUnits, .slow, .gaveUp, .openings, .legacyFailures,
            .legacyGaveUp,
            .anyCanaryAnswer, .anyCandidateAnswer, .anyLegacyAnswer,
        ]
        return settled.union([Metric.comparison, .mismatches, .candidateFailures].map(\.withOpen))
    }()
}

extension Metric {
    /// The same metric of one operation's units.
    public func of(_ operation: String) -> Metric { Metric(whole.rawValue + "/" + operation) }

    /// The operation whose units it counts; nil for a metric of all operations.
    public var operation: String? {
        rawValue.firstIndex(of: "/").map { String(rawValue[rawValue.index(after: $0)...]) }
    }

    /// The same metric of all operations.
    public var whole: Metric { Metric(String(rawValue.prefix { $0 != "/" })) }

    /// The same metric with the units whose window is still open: they failed as far as they have failed until now. A rollback
    /// reads it, because it need not wait for a window to end; a promotion must.
    public var withOpen: Metric {
        guard !countsOpen else { return self }
        let open = Metric(whole.rawValue + Self.openMark)
        return operation.map(open.of) ?? open
    }

    /// Whether units with an open window count.
    public var countsOpen: Bool { whole.rawValue.hasSuffix(Self.openMark) }

    private static let openMark = "+open"

    var isExpected: Bool { rawValue.hasPrefix(Self.expectedPrefix) }

    /// Whether it stands for all metrics of its kind: ``anyCanaryAnswer``.
    package var isFamily: Bool { rawValue.hasSuffix(".*") }

    /// Whether the upgrade's state has it, and no process counts it but at `legacyOnly`.
    package var isOfBaseline: Bool {
        whole == .legacyFailures || self == .legacyGaveUp || rawValue.hasPrefix(Self.legacyAnswersPrefix)
    }

    /// Whether it counts units of one operation or kind of answer, or named ones, of which a process that has met none need not know.
    package var isOfSome: Bool {
        operation != nil || kindOfAnswer != nil || kindOfLegacyAnswer != nil || isOfNamed
    }

    /// Whether it counts named units.
    var isOfNamed: Bool { whole == .namedFailures || kindOfNamedAnswer != nil }

    /// The kind of answer that ``namedAnswers(_:)`` counts.
    var kindOfNamedAnswer: String? {
        guard rawValue.hasPrefix(Self.namedAnswersPrefix) else { return nil }
        return String(rawValue.dropFirst(Self.namedAnswersPrefix.count))
    }

    /// The kind of answer that ``legacyAnswers(_:)`` counts.
    var kindOfLegacyAnswer: String? {
        guard rawValue.hasPrefix(Self.legacyAnswersPrefix) else { return nil }
        return String(rawValue.dropFirst(Self.legacyAnswersPrefix.count))
    }

    /// Whether it is one of the metrics that a family stands for.
    func belongs(to family: Metric) -> Bool { rawValue.hasPrefix(family.rawValue.dropLast()) && self != family }

    /// The kind of answer that ``candidateAnswers(_:)`` or ``canaryAnswers(_:)`` counts.
    var kindOfAnswer: String? {
        for prefix in [Self.canaryAnswersPrefix, Self.candidateAnswersPrefix] where rawValue.hasPrefix(prefix) {
            return String(rawValue.dropFirst(prefix.count))
        }
        return nil
    }
}

extension Metric: CustomStringConvertible {
    public var description: String { rawValue }
}
