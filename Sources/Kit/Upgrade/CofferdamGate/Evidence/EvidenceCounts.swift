import Cofferdam

/// What was counted in an epoch under one key: the fold of its rows, and what is counted without units.
public struct EvidenceCounts: Sendable, Hashable {
    package var key: EpochKey
    package var epoch: Int
    package var names = EvidenceNames()
    package var units = UnitCounts()
    package var openings = FailureCounts.none
    /// The operations that are reads.
    package var reads: Set<String> = []
    /// Set if a process counted units that these counts lack.
    package var lacksUnits = false
    /// The hour since 1970 in which rows were last looked at that no device settles; 0 for none.
    var unseenHour: Int64 = 0
    /// Identifies this count; changes if the counts of a ledger are lost.
    package var series: String
    /// How long the calls of the legacy side took, at `legacyOnly`.
    package var durations: [String: LatencyHistogram] = [:]

    package init(_ key: EpochKey, epoch: Int, series: String = "none") {
        (self.key, self.epoch, self.series) = (key, epoch, series)
    }

    /// The operations that were counted.
    var operations: [String] { names.operations }

    // MARK: Sums

    /// Adds what one process counted since an earlier moment.
    package mutating func add(_ own: EvidenceCounts, since before: UnitCounts) {
        add(own.units, 1, of: own.names)
        add(before, -1, of: own.names)
        reads.formUnion(own.reads)
    }

    private mutating func add(_ other: UnitCounts, _ sign: Int, of names: EvidenceNames) {
        for (cell, counts) in other.cells {
            for (marks, count) in counts.begun { add(sign * count, marks, \.begun, to: cell, of: names) }
            for (marks, count) in counts.settled { add(sign * count, marks, \.settled, to: cell, of: names) }
        }
        for (hour, cells) in other.visits {
            for (cell, counts) in cells {
                for (marks, count) in counts {
                    guard let (cell, marks) = adopt(cell, marks, of: names) else { continue }
                    units.addVisits(sign * count, marks, to: cell, at: hour)
                }
            }
        }
    }

    private mutating func add(
        _ count: Int,
        _ marks: Marks,
        _ which: WritableKeyPath<UnitCounts.Counts, [Marks: Int]>,
        to cell: UnitCounts.Cell,
        of other: EvidenceNames
    ) {
        guard let (cell, marks) = adopt(cell, marks, of: other) else { return }
        units.add(count, marks, which, to: cell)
    }

    /// A cell and marks under the names of these counts; nil if the operation has no place here.
    private mutating func adopt(
        _ cell: UnitCounts.Cell,
        _ marks: Marks,
        of other: EvidenceNames
    ) -> (UnitCounts.Cell, Marks)? {
        guard let place = names.place(of: other.operation(at: cell.operation)) else { return nil }
        let marks = names.marks(of: other.texts(of: marks, in: cell.tally), in: cell.tally)
        return (UnitCounts.Cell(tally: cell.tally, operation: place), marks)
    }
}

// MARK: JSON

extension EvidenceCounts: Codable {
    private enum CodingKeys: String, CodingKey {
        case key, epoch, names, operations, counts, visits, openings, durations, reads, series, unseenHour, lacksUnits
        /// The name of `lacksUnits` up to version 0.2.
        case hasLost
    }

    /// The numbers of units by the text of their marks.
    private struct Texts: Codable {
        var begun: [String: Int]
        var settled: [String: Int]
    }

    /// Decodes what an earlier version wrote, too: it has no names but those of the operations.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(EpochKey.self, forKey: .key),
            epoch: try values.decode(Int.self, forKey: .epoch),
            series: try values.decode(String.self, forKey: .series)
        )
        openings = try values.decode(FailureCounts.self, forKey: .openings)
        durations = try values.decodeIfPresent([String: LatencyHistogram].self, forKey: .durations) ?? [:]
        reads = Set(try values.decode([String].self, forKey: .reads))
        lacksUnits =
            try values.decodeIfPresent(Bool.self, forKey: .lacksUnits)
            ?? values.decodeIfPresent(Bool.self, forKey: .hasLost) ?? false
        unseenHour = try values.decodeIfPresent(Int64.self, forKey: .unseenHour) ?? 0
        names = try values.decodeIfPresent(EvidenceNames.self, forKey: .names) ?? EvidenceNames()
        for operation in try values.decodeIfPresent([String].self, forKey: .operations) ?? [] {
            _ = names.place(of: operation)
        }
        for (name, operations) in try values.decode([String: [String: Texts]].self, forKey: .counts) {
            guard let tally = EvidenceTally(name: name) else { continue }
            for (operation, texts) in operations {
                guard let place = names.place(of: operation.isEmpty ? nil : operation) else { continue }
                let cell = UnitCounts.Cell(tally: tally, operation: place)
                add(texts.begun, \.begun, to: cell)
                add(texts.settled, \.settled, to: cell)
            }
        }
        for (hour, tallies) in try values.decodeIfPresent(Visits.self, forKey: .visits) ?? [:] {
            // Within bounds, so that a damaged file causes no overflow later.
            guard let hour = Int64(hour), (0...1 << 32).contains(hour) else { continue }
            for (name, operations) in tallies {
                guard let tally = EvidenceTally(name: name), tally.isOfVisits else { continue }
                for (operation, texts) in operations {
                    guard let place = names.place(of: operation.isEmpty ? nil : operation) else { continue }
                    let cell = UnitCounts.Cell(tally: tally, operation: place)
                    for (text, count) in texts {
                        units.addVisits(Self.clamped(count), names.marks(ofText: text, in: tally), to: cell, at: hour)
                    }
                }
            }
        }
    }

    /// The numbers of visits by the text of their marks, operation, tally and hour.
    private typealias Visits = [String: [String: [String: [String: Int]]]]

    /// So that a damaged file causes no overflow later.
    private static func clamped(_ count: Int) -> Int { min(max(0, count), 1 << 40) }

    private mutating func add(
        _ counts: [String: Int],
        _ which: WritableKeyPath<UnitCounts.Counts, [Marks: Int]>,
        to cell: UnitCounts.Cell
    ) {
        // In a fixed order, because the first text of a kind gives it its place.
        for (text, count) in counts.sorted(by: { $0.key < $1.key }) {
            units.add(Self.clamped(count), names.marks(ofText: text, in: cell.tally), which, to: cell)
        }
    }

    /// Encodes marks by their texts.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .key)
        try values.encode(epoch, forKey: .epoch)
        try values.encode(names, forKey: .names)
        try values.encode(openings, forKey: .openings)
        if !durations.isEmpty { try values.encode(durations, forKey: .durations) }
        try values.encode(reads.sorted(), forKey: .reads)
        try values.encode(series, forKey: .series)
        if lacksUnits { try values.encode(true, forKey: .lacksUnits) }
        if unseenHour > 0 { try values.encode(unseenHour, forKey: .unseenHour) }
        func texts(_ counts: [Marks: Int], _ cell: UnitCounts.Cell) -> [String: Int] {
            Dictionary(counts.map { (names.text(of: $0.key, in: cell.tally), $0.value) }, uniquingKeysWith: +)
        }
        var counts: [String: [String: Texts]] = [:]
        for (cell, numbers) in units.cells {
            counts[cell.tally.name, default: [:]][names.operation(at: cell.operation) ?? ""] =
                Texts(begun: texts(numbers.begun, cell), settled: texts(numbers.settled, cell))
        }
        try values.encode(counts, forKey: .counts)
        guard !units.visits.isEmpty else { return }
        var visits: Visits = [:]
        for (hour, cells) in units.visits {
            for (cell, numbers) in cells {
                visits[String(hour), default: [:]][cell.tally.name, default: [:]][
                    names.operation(at: cell.operation) ?? ""
                ] = texts(numbers, cell)
            }
        }
        try values.encode(visits, forKey: .visits)
    }
}
