/// How a call to one side ended. A worse outcome is greater.
package enum CallOutcome: Int, Sendable, Hashable, Comparable, Codable {
    case succeeded, failed

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The marks of a unit on one side.
struct CallMarks: WindowOutcome {
    var marks: Marks
    /// The kinds of answers, as bits by place.
    var answers: UInt32 = 0

    struct Marks: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let failed = Marks(rawValue: 1)
        static let slow = Marks(rawValue: 2)
        static let gaveUp = Marks(rawValue: 4)
        /// Not seen: a process crashed while the call was in flight.
        static let unseen = Marks(rawValue: 8)

        static let names: [(mark: Marks, name: String)] = [
            (.failed, "failed"), (.slow, "slow"), (.gaveUp, "gaveUp"), (.unseen, "unseen"),
        ]
    }

    mutating func merge(_ other: CallMarks) {
        marks.formUnion(other.marks)
        answers |= other.answers
    }
}

/// The marks of a unit whose calls were compared.
struct ComparisonMarks: WindowOutcome {
    /// The outcomes, as bits from best to worst.
    private(set) var outcomes: UInt16
    /// The id of the expected difference, if there was one.
    private(set) var expectation: String?
    private(set) var slow: Slow

    /// The sides that were slow.
    struct Slow: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let legacy = Slow(rawValue: 1)
        static let candidate = Slow(rawValue: 2)
    }

    init(_ outcome: ComparisonOutcome, expectation: String? = nil, slow: Slow = []) {
        outcomes = 1 << UInt16(outcome.place)
        self.expectation = expectation
        self.slow = slow
    }

    fileprivate init(outcomes: UInt16, expectation: String?, slow: Slow) {
        (self.outcomes, self.expectation, self.slow) = (outcomes, expectation, slow)
    }

    mutating func merge(_ other: ComparisonMarks) {
        outcomes |= other.outcomes
        expectation = [expectation, other.expectation].compactMap { $0 }.max()
        slow.formUnion(other.slow)
    }

    func has(_ outcome: ComparisonOutcome) -> Bool { outcomes & 1 << UInt16(outcome.place) != 0 }

    var worst: ComparisonOutcome {
        ComparisonOutcome.allCases.last(where: has) ?? .match
    }
}

extension ComparisonOutcome {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

// MARK: Persistence

/// Outcomes as text: their parts in alphabetical order, readable by a process that knows other kinds of answers.
struct OutcomeTexts: Sendable {
    /// The kinds of answers, by place.
    private(set) var kinds: [String] = []

    /// The last place, for all further kinds.
    private static let otherPlace = 31
    private static let separator: Character = "\u{1F}"
    static let answer = "answer="
    static let expectation = "expectation="

    /// The bit of a kind.
    mutating func bit(ofAnswer kind: String) -> UInt32 {
        // The kind becomes part of the name of a metric, in which these characters have a meaning.
        let kind = String(kind.map { $0 == "/" || $0 == "*" || $0 == Self.separator ? "_" : $0 })
        if let place = kinds.firstIndex(of: kind) { return 1 << UInt32(place) }
        if kinds.count == Self.otherPlace { kinds.append("other") }
        guard kinds.count < Self.otherPlace else { return 1 << UInt32(Self.otherPlace) }
        kinds.append(kind)
        return 1 << UInt32(kinds.count - 1)
    }

    func text(_ outcome: CallMarks) -> String {
        let marks = CallMarks.Marks.names.filter { outcome.marks.contains($0.mark) }.map(\.name)
        let answers = kinds.indices.filter { outcome.answers & 1 << UInt32($0) != 0 }.map { Self.answer + kinds[$0] }
        return Self.joined(marks + answers)
    }

    /// Parses the marks; nil for text that this version does not write.
    mutating func calls(_ text: String) -> CallMarks? {
        var outcome = CallMarks(marks: [])
        for part in text.split(separator: Self.separator) {
            if part.hasPrefix(Self.answer) {
                outcome.answers |= bit(ofAnswer: String(part.dropFirst(Self.answer.count)))
            } else if let known = CallMarks.Marks.names.first(where: { $0.name == part }) {
                outcome.marks.formUnion(known.mark)
            } else {
                return nil
            }
        }
        return outcome
    }

    func text(_ outcome: ComparisonMarks) -> String {
        var parts = ComparisonOutcome.allCases.filter(outcome.has).map(\.rawValue)
        if outcome.slow.contains(.legacy) { parts.append("legacySlow") }
        if outcome.slow.contains(.candidate) { parts.append("candidateSlow") }
        if let expectation = outcome.expectation { parts.append(Self.expectation + expectation) }
        return Self.joined(parts)
    }

    /// Parses the marks; nil for text that this version does not write.
    func comparison(_ text: String) -> ComparisonMarks? {
        var outcome = ComparisonMarks(outcomes: 0, expectation: nil, slow: [])
        for part in text.split(separator: Self.separator) {
            if part == "legacySlow" {
                outcome.merge(ComparisonMarks(outcomes: 0, expectation: nil, slow: .legacy))
            } else if part == "candidateSlow" {
                outcome.merge(ComparisonMarks(outcomes: 0, expectation: nil, slow: .candidate))
            } else if part.hasPrefix(Self.expectation) {
                let id = String(part.dropFirst(Self.expectation.count))
                outcome.merge(ComparisonMarks(outcomes: 0, expectation: id, slow: []))
            } else if let known = ComparisonOutcome(rawValue: String(part)) {
                outcome.merge(ComparisonMarks(known))
            } else {
                return nil
            }
        }
        return outcome.outcomes == 0 ? nil : outcome
    }

    /// The union of two windows of one unit.
    static func merged(_ one: String, _ other: String) -> String {
        joined(Set(one.split(separator: separator)).union(other.split(separator: separator)).map(String.init))
    }

    /// The parts of an outcome: "failed", "answer=notFound".
    static func parts(_ text: String) -> [String] { text.split(separator: separator).map(String.init) }

    /// The outcome with those parts.
    static func text(ofParts parts: [String]) -> String { joined(Array(Set(parts))) }

    private static func joined(_ parts: [String]) -> String { parts.sorted().joined(separator: String(separator)) }
}
