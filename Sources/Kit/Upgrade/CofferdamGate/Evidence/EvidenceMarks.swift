import Cofferdam

/// What the calls of a unit came to: marks as bits, which only ever join.
///
/// The lower 24 bits are flags. The upper eight are the number of an expected difference, from 1 on; the greater one
/// stays.
package struct Marks: Sendable, Hashable, Codable {
    package var bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    package static let none = Marks(bits: 0)
    package static let all = Marks(bits: .max)

    // MARK: Calls

    package static let failed = Marks(bits: 1)
    static let slow = Marks(bits: 2)
    static let gaveUp = Marks(bits: 4)
    /// The end was not seen: with ``failed``, a process crashed while the call was in flight; alone, no process told what
    /// became of the unit.
    static let unseen = Marks(bits: 8)

    /// The candidate failed, and so did the fallback to the legacy side for the same call. Above the answers, where only
    /// comparisons have the number of an expectation.
    static let failedOnBoth = Marks(bits: 1 << 24)

    /// - Parameter place: of the kind of answer.
    static func answer(_ place: Int) -> Marks { Marks(bits: 1 << UInt32(firstAnswer + place)) }

    /// The number of kinds of answers, including the one for all further kinds.
    static let maxAnswers = 20
    private static let firstAnswer = 4

    // MARK: Visits

    /// What the unit met in the visit before, so that it does not count as new.
    static let before = (failed: Marks(bits: 1 << 4), slow: Marks(bits: 1 << 5), gaveUp: Marks(bits: 1 << 6))

    /// The unit has visited before, as far as that is remembered.
    static let returned = Marks(bits: 1 << 7)

    private static let ofVisits: [(met: Marks, before: Marks)] = [
        (failed, before.failed), (slow, before.slow), (gaveUp, before.gaveUp),
    ]

    /// The marks without those of the visit before.
    package var met: Marks {
        Self.ofVisits.reduce(.none) { contains($1.met) ? $0.union($1.met) : $0 }
    }

    /// The marks of a visit.
    ///
    /// - Parameter last: those of the last visit that was merged. What the unit met before this visit, and that one does
    ///   not have, is met now.
    func asVisit(after last: Marks) -> Marks {
        Self.ofVisits.reduce(met) { marks, kind in
            if last.contains(kind.met) { return marks.union(kind.before) }
            return contains(kind.before) ? marks.union(kind.met) : marks
        }
    }

    // MARK: Comparisons

    static func outcome(_ outcome: ComparisonOutcome) -> Marks { Marks(bits: 1 << UInt32(outcome.place)) }

    static let legacySlow = Marks(bits: 1 << 16)
    static let candidateSlow = Marks(bits: 1 << 17)

    /// - Parameter place: of the expectation, less than ``maxExpectations``.
    static func expectation(_ place: Int) -> Marks { Marks(bits: UInt32(place + 1) << 24) }

    static let maxExpectations = 255

    /// The place of the expectation; nil without one.
    var expectation: Int? { bits >> 24 == 0 ? nil : Int(bits >> 24) - 1 }

    func has(_ outcome: ComparisonOutcome) -> Bool { contains(.outcome(outcome)) }

    var worst: ComparisonOutcome { ComparisonOutcome.allCases.last(where: has) ?? .match }

    // MARK: Union

    func contains(_ other: Marks) -> Bool { bits & other.bits == other.bits }

    func union(_ other: Marks) -> Marks {
        let flags: UInt32 = 0xFF_FFFF
        return Marks(bits: (bits | other.bits) & flags | max(bits & ~flags, other.bits & ~flags))
    }
}

extension ComparisonOutcome {
    /// Its place, from best to worst.
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The names behind the numbers of an epoch's rows: operations, kinds of answers and expected differences. It is the one
/// table between marks and their text.
package struct EvidenceNames: Sendable, Hashable, Codable {
    /// The operations, by place. Further ones count only among all operations.
    private(set) var operations: [String] = []
    private(set) var answers: [String] = []
    /// The kinds of answers to named units, apart, so that they take no place from those of other units.
    private(set) var namedAnswers: [String] = []
    private(set) var expectations: [String] = []

    /// The place of all operations together.
    package static let all: UInt8 = 63

    init() {}

    /// The place of an operation, nil being all together; nil if all places are taken.
    package mutating func place(of operation: String?) -> UInt8? {
        guard let operation else { return Self.all }
        if let place = operations.firstIndex(of: operation) { return UInt8(place) }
        guard operations.count < Self.all else { return nil }
        operations.append(operation)
        return UInt8(operations.count - 1)
    }

    /// The operation at a place; nil for all together.
    package func operation(at place: UInt8) -> String? {
        operations.indices.contains(Int(place)) ? operations[Int(place)] : nil
    }

    // MARK: Marks

    func answers(in tally: EvidenceTally) -> [String] { tally == .named ? namedAnswers : answers }

    /// The mark of a kind of answer. The last place is that of all further kinds.
    mutating func mark(ofAnswer kind: String, in tally: EvidenceTally) -> Marks {
        let kind = Self.label(kind)
        return .answer(
            tally == .named ? Self.place(ofAnswer: kind, in: &namedAnswers) : Self.place(ofAnswer: kind, in: &answers)
        )
    }

    /// The text as a label, which is part of the names of metrics, of files and of what devices post: 1 to 64 of A-Z, a-z,
    /// 0-9, dot, hyphen and underscore. Others become underscores: "HTTP_409".
    private static func label(_ text: String) -> String {
        let characters = text.unicodeScalars.prefix(64).map { scalar -> Character in
            let isKept = scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            return isKept || ".-_".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        return characters.isEmpty ? "other" : String(characters)
    }

    private static func place(ofAnswer kind: String, in kinds: inout [String]) -> Int {
        let last = Marks.maxAnswers - 1
        if let place = kinds.firstIndex(of: kind) { return place }
        if kinds.count < Marks.maxAnswers { kinds.append(kinds.count == last ? "other" : kind) }
        return kinds.count - 1
    }

    /// The mark of an expected difference; nil if there are too many.
    mutating func mark(ofExpectation id: String) -> Marks? {
        if let place = expectations.firstIndex(of: id) { return .expectation(place) }
        guard expectations.count < Marks.maxExpectations else { return nil }
        expectations.append(id)
        return .expectation(expectations.count - 1)
    }

    // MARK: Text

    private static let separator: Character = "\u{1F}"
    static let answer = "answer="
    static let expectation = "expectation="
    private static let calls: [(name: String, mark: Marks)] = [
        ("failed", .failed), ("slow", .slow), ("gaveUp", .gaveUp), ("unseen", .unseen), ("failedOnBoth", .failedOnBoth),
    ]
    private static let visits =
        [("failed", Marks.failed), ("slow", .slow), ("gaveUp", .gaveUp)] + [
            ("failedBefore", Marks.before.failed), ("slowBefore", Marks.before.slow),
            ("gaveUpBefore", Marks.before.gaveUp), ("returned", .returned),
        ]
    private static let comparisons: [(name: String, mark: Marks)] =
        ComparisonOutcome.allCases.map { ($0.rawValue, .outcome($0)) } + [
            ("legacySlow", .legacySlow), ("candidateSlow", .candidateSlow),
        ]

    /// The texts of marks without a name of their own.
    static func marks(in tally: EvidenceTally) -> Set<String> { Set(flags(in: tally).map(\.name)) }

    private static func flags(in tally: EvidenceTally) -> [(name: String, mark: Marks)] {
        tally == .comparisons ? comparisons : tally.isOfVisits ? visits : calls
    }

    /// The marks as text, in alphabetical order: "answer=notFound", "failed".
    package func texts(of marks: Marks, in tally: EvidenceTally) -> [String] {
        var texts = Self.flags(in: tally).filter { marks.contains($0.mark) }.map(\.name)
        if tally == .comparisons {
            if let place = marks.expectation, expectations.indices.contains(place) {
                texts.append(Self.expectation + expectations[place])
            }
        } else if !tally.isOfVisits {
            texts += answers(in: tally).enumerated().filter { marks.contains(.answer($0.offset)) }
                .map { Self.answer + $0.element }
        }
        return texts.sorted()
    }

    /// The marks of these texts. A text that this version does not write is the worst that it could be, a failure or a
    /// mismatch, and so is a comparison without an outcome: evidence that is dropped would make the rest look better.
    mutating func marks(of texts: some Sequence<some StringProtocol>, in tally: EvidenceTally) -> Marks {
        var marks = Marks.none
        let worst = tally == .comparisons ? Marks.outcome(.mismatch) : .failed
        for text in texts {
            if let flag = Self.flags(in: tally).first(where: { $0.name == text }) {
                marks = marks.union(flag.mark)
            } else if tally == .comparisons, text.hasPrefix(Self.expectation) {
                marks = marks.union(mark(ofExpectation: String(text.dropFirst(Self.expectation.count))) ?? .none)
            } else if tally != .comparisons, !tally.isOfVisits, text.hasPrefix(Self.answer) {
                marks = marks.union(mark(ofAnswer: String(text.dropFirst(Self.answer.count)), in: tally))
            } else {
                marks = marks.union(worst)
            }
        }
        let isWhole = tally != .comparisons || ComparisonOutcome.allCases.contains(where: marks.has)
        return isWhole ? marks : marks.union(worst)
    }

    /// The same as ``texts(of:in:)``, as one text.
    func text(of marks: Marks, in tally: EvidenceTally) -> String {
        texts(of: marks, in: tally).joined(separator: String(Self.separator))
    }

    /// The marks of one text, as ``marks(of:in:)``.
    package mutating func marks(ofText text: String, in tally: EvidenceTally) -> Marks {
        marks(of: text.split(separator: Self.separator), in: tally)
    }

    // MARK: Other names

    /// The rows under these names, without those whose operation has no place here.
    mutating func adopt(_ rows: [EvidenceRow], of names: EvidenceNames) -> [EvidenceRow] {
        guard names != self else { return rows }
        var places: [UInt8: UInt8?] = [:]
        var known: [EvidenceTally: [Marks: Marks]] = [:]
        return rows.compactMap { row in
            let (tally, marks) = (row.slot.tally, row.state.marks)
            if places[row.slot.operation] == nil {
                places[row.slot.operation] = .some(place(of: names.operation(at: row.slot.operation)))
            }
            guard let place = places[row.slot.operation] ?? nil else { return nil }
            let adopted = known[tally]?[marks] ?? self.marks(of: names.texts(of: marks, in: tally), in: tally)
            known[tally, default: [:]][marks] = adopted
            var row = row
            (row.slot.operation, row.state.marks) = (place, adopted)
            return row
        }
    }
}
