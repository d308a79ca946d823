package import Cofferdam  // sides

/// The name of a pair of counters, failures and total. An app may add its own.
///
/// The text is the name of the metric, then `+open` if units with an open window count too, then `/` and an operation
/// for a metric of one operation: "candidateFailures", "candidateFailures+open/search".
public struct Metric: RawRepresentable, Sendable, Hashable, Codable, CodingKeyRepresentable {
    /// The metric's name, as in JSON and tables.
    public let rawValue: String
    /// The metric with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The metric with that name, which may be the app's own.
    public init(_ name: String) { rawValue = name }

    /// k of n: units for which the two sides disagree.
    public static let comparison = Metric("comparison")
    /// k of n: units that got different answers, of those that got answers from both sides. It replaces
    /// ``comparison`` when failures are compared with those of the legacy side: see ``GateSettings/relativeFactor``.
    package static let mismatches = Metric("mismatches")
    /// Sampled units that do not count, without those of expected differences.
    package static let uncounted = Metric("uncounted")
    /// Compared units in which the legacy side disagreed with itself.
    package static let noise = Metric("noise")
    /// Units for which only the candidate failed, of those for which exactly one side did.
    package static let pairedFailures = Metric("pairedFailures")
    /// Compared units for which only the candidate was slow, of those for which exactly one side was.
    package static let pairedSlow = Metric("pairedSlow")
    /// Units of the candidate that failed.
    public static let candidateFailures = Metric("candidateFailures")
    /// Units of the canary that failed, of all that failed on their own side.
    package static let canaryFailures = Metric("canaryFailures")
    /// Units of the first build that failed: see ``Stage/aa``.
    package static let firstFailures = Metric("firstFailures")
    /// Units of the first build that failed, of all that failed.
    package static let firstShareOfFailures = Metric("firstShareOfFailures")
    /// Units of the first build with a slow call, of all that had one.
    package static let firstShareOfSlow = Metric("firstShareOfSlow")
    /// Units of the first build that gave up waiting, of all that did.
    package static let firstShareOfGaveUp = Metric("firstShareOfGaveUp")
    /// Units of the first build, of all.
    package static let firstUnits = Metric("firstUnits")
    /// Units of the canary with a slow call, of all that had one on their own side.
    package static let canarySlow = Metric("canarySlow")
    /// Units of the canary that gave up waiting, of all that did on their own side.
    package static let canaryGaveUp = Metric("canaryGaveUp")
    /// Units of the canary that a server never heard of again, of all such units: see ``EvidenceRows/unseenBefore``.
    package static let canaryUnseen = Metric("canaryUnseen")
    /// Units of the canary, of all.
    package static let activeUnits = Metric("activeUnits")
    /// Units of the candidate for which the fallback to the legacy side failed too. They count as neither good nor bad.
    package static let failedOnBoth = Metric("failedOnBoth")
    /// Units of the candidate with a slow call. Shown only; no gate reads it.
    package static let slow = Metric("slow")
    /// Units of the candidate that gave up waiting.
    package static let gaveUp = Metric("gaveUp")
    /// Failed attempts to open the candidate, of all. Shown only; no gate reads it.
    package static let openings = Metric("openings")
    /// Units of the legacy side that failed before the epoch.
    package static let legacyFailures = Metric("legacyFailures")
    /// Units of the legacy side that gave up waiting before the epoch.
    package static let legacyGaveUp = Metric("legacyGaveUp")
    /// Named units for which the candidate failed, of those that called it, including open windows: see
    /// `NamedUnits`. Shown only; no gate may read it.
    package static let namedFailures = Metric("namedFailures")
    /// Named units that got that kind of answer, of those that called the candidate. Shown only; no gate may read it.
    package static func namedAnswers(_ kind: String) -> Metric { Metric(namedAnswersPrefix + kind) }
    /// Units with the expected difference of that id.
    package static func expected(_ id: String) -> Metric { Metric(expectedPrefix + id) }
    /// Units of the canary that got that kind of answer, of all that got it from their own side.
    package static func canaryAnswers(_ kind: String) -> Metric { Metric(canaryAnswersPrefix + kind) }
    /// Units of the first build that got that kind of answer, of all that got it.
    package static func firstAnswers(_ kind: String) -> Metric { Metric(firstAnswersPrefix + kind) }
    /// Units of the candidate that got that kind of answer, of all its units.
    package static func candidateAnswers(_ kind: String) -> Metric { Metric(candidateAnswersPrefix + kind) }
    /// Units of the legacy side that got that kind of answer before the epoch.
    package static func legacyAnswers(_ kind: String) -> Metric { Metric(legacyAnswersPrefix + kind) }

    /// Units that newly met that in an hour: see ``VisitCounts``.
    package static func newly(_ kind: VisitCounts.Kind, on side: Side) -> Metric {
        Metric("\(side == .legacy ? "legacy" : "candidate").\(kind.rawValue).newly")
    }

    /// Visits of units that had visited before, of all: see ``VisitCounts``.
    package static func returning(on side: Side) -> Metric {
        Metric("\(side == .legacy ? "legacy" : "candidate").returning")
    }

    /// Every kind of ``canaryAnswers(_:)`` that was counted.
    static let anyCanaryAnswer = Metric(canaryAnswersPrefix + "*")
    /// Every kind of ``firstAnswers(_:)`` that was counted.
    static let anyFirstAnswer = Metric(firstAnswersPrefix + "*")
    /// Every kind of ``candidateAnswers(_:)`` that was counted.
    static let anyCandidateAnswer = Metric(candidateAnswersPrefix + "*")
    /// ``legacyAnswers(_:)`` of the kind under test.
    static let anyLegacyAnswer = Metric(legacyAnswersPrefix + "*")

    /// The failures of every operation that no other test names.
    static let anyOtherOperation = Metric.candidateFailures.includingOpenWindows.of("*")

    private static let expectedPrefix = "expected."
    private static let canaryAnswersPrefix = "canaryAnswers."
    private static let firstAnswersPrefix = "firstAnswers."
    private static let candidateAnswersPrefix = "candidateAnswers."
    private static let legacyAnswersPrefix = "legacyAnswers."
    private static let namedAnswersPrefix = "namedAnswers."

    /// The metrics that an `EvidenceRecorder` records.
    package static let written: Set<Metric> = {
        let settled: Set<Metric> = [
            .comparison, .mismatches, .uncounted, .noise, .pairedFailures, .pairedSlow, .candidateFailures,
            .canaryFailures, .canarySlow, .canaryGaveUp, .canaryUnseen, .activeUnits, .slow, .gaveUp, .openings,
            .legacyFailures,
            .legacyGaveUp, .firstFailures, .firstShareOfFailures, .firstShareOfSlow, .firstShareOfGaveUp, .firstUnits,
            .failedOnBoth, .anyFirstAnswer, .anyCanaryAnswer, .anyCandidateAnswer, .anyLegacyAnswer,
        ]
        return settled.union([Metric.comparison, .mismatches, .candidateFailures].map(\.includingOpenWindows))
    }()
}

extension Metric {
    /// The same metric for one operation.
    package func of(_ operation: String) -> Metric { Metric(whole.rawValue + "/" + operation) }

    /// The operation of the metric; nil for a metric of all operations.
    package var operation: String? {
        slash.map { String(rawValue[rawValue.utf8.index(after: $0)...]) }
    }

    /// The same metric for all operations.
    package var whole: Metric { slash.map { Metric(String(rawValue[..<$0])) } ?? self }

    // Bytes are much quicker to compare than characters.
    private var slash: String.Index? { rawValue.utf8.firstIndex(of: UInt8(ascii: "/")) }

    /// The same metric including units with an open window, with their failures so far. A rollback test reads it,
    /// because it need not wait for windows to end; a promotion test must wait.
    public var includingOpenWindows: Metric {
        guard !includesOpenWindows else { return self }
        let open = Metric(whole.rawValue + Self.openMark)
        return operation.map(open.of) ?? open
    }

    /// Whether units with an open window count.
    package var includesOpenWindows: Bool { whole.rawValue.hasSuffix(Self.openMark) }

    private static let openMark = "+open"

    var isExpected: Bool { rawValue.hasPrefix(Self.expectedPrefix) }

    /// Whether it represents all metrics of its kind, like ``anyCanaryAnswer``.
    package var isFamily: Bool { rawValue.hasSuffix(".*") || operation == "*" }

    /// Whether it belongs to the baseline in the stored state, counted only at `legacyOnly`.
    package var isBaseline: Bool {
        whole == .legacyFailures || self == .legacyGaveUp || rawValue.hasPrefix(Self.legacyAnswersPrefix)
    }

    /// Whether it counts only some units: of one operation, one kind of answer, or named ones. A process that met
    /// none need not export it.
    package var isPartial: Bool {
        operation != nil || kindOfAnswer != nil || kindOfLegacyAnswer != nil || countsNamedUnits
    }

    /// Whether it counts named units.
    var countsNamedUnits: Bool { whole == .namedFailures || kindOfNamedAnswer != nil }

    /// The kind of answer of `namedAnswers(_:)`.
    var kindOfNamedAnswer: String? {
        guard rawValue.hasPrefix(Self.namedAnswersPrefix) else { return nil }
        return String(rawValue.dropFirst(Self.namedAnswersPrefix.count))
    }

    /// The kind of answer of `legacyAnswers(_:)`.
    var kindOfLegacyAnswer: String? {
        guard rawValue.hasPrefix(Self.legacyAnswersPrefix) else { return nil }
        return String(rawValue.dropFirst(Self.legacyAnswersPrefix.count))
    }

    /// Whether a family includes this metric.
    package func belongs(to family: Metric) -> Bool { rawValue.hasPrefix(family.rawValue.dropLast()) && self != family }

    /// Whether it is one of `candidateAnswers(_:)`.
    package var isCandidateAnswer: Bool { rawValue.hasPrefix(Self.candidateAnswersPrefix) }

    /// The corresponding metric of the first of two builds; nil if there is none: see ``Stage/aa``.
    package var forFirstBuild: Metric? {
        let first: Metric? =
            switch whole {
            case .canaryFailures: .firstShareOfFailures
            case .canarySlow: .firstShareOfSlow
            case .canaryGaveUp: .firstShareOfGaveUp
            case .activeUnits: .firstUnits
            default: nil
            }
        if let first { return operation.map(first.of) ?? first }
        guard rawValue.hasPrefix(Self.canaryAnswersPrefix) else { return nil }
        return Metric(Self.firstAnswersPrefix + rawValue.dropFirst(Self.canaryAnswersPrefix.count))
    }

    /// The kind of answer of `candidateAnswers(_:)`, `canaryAnswers(_:)` or `firstAnswers(_:)`.
    package var kindOfAnswer: String? {
        let prefixes = [Self.canaryAnswersPrefix, Self.firstAnswersPrefix, Self.candidateAnswersPrefix]
        return prefixes.first(where: rawValue.hasPrefix).map { String(rawValue.dropFirst($0.count)) }
    }
}

extension Metric: CustomStringConvertible {
    /// The metric's name.
    public var description: String { rawValue }
}
