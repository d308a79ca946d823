#if Sandbox
/// The catalogue's animals by age. Animals added in bulk use no memory: each is created when it is accessed, and its id
/// encodes its position.
struct AnimalList: RandomAccessCollection, Sendable, Codable {
    private struct Bulk: Sendable, Codable {
        let start: Int
        let count: Int
    }

    private let key: UInt64
    private var kept: [Animal] = []
    private var bulks: [Bulk] = []
    private var bulkCount = 0
    private var changedKinds: [Int: String] = [:]

    init(seed: UInt64) { key = SeededGenerator.mixed(seed ^ 0x2545_F491_4F6C_DD1D) }

    /// Bulk ids encode the position in 32 bits.
    static let largestCount = 1 << 31

    var startIndex: Int { 0 }
    var endIndex: Int { kept.count + bulkCount }

    subscript(position: Int) -> Animal {
        precondition((0..<endIndex).contains(position), "no animal there")
        var animal =
            switch place(position) {
            case .kept(let index): kept[index]
            case .bulk(let number): animal(number: number, at: position)
            }
        animal.kind = changedKinds[position] ?? animal.kind
        return animal
    }

    /// Returns the kind of the animal at a position, without creating the animal.
    func kind(at position: Int) -> String {
        if let changed = changedKinds[position] { return changed }
        switch place(position) {
        case .kept(let index): return kept[index].kind
        case .bulk(let number): return Self.kinds[number % Self.kinds.count]
        }
    }

    private enum Place {
        case kept(Int)
        /// An animal added in bulk, by its number.
        case bulk(Int)
    }

    private func place(_ position: Int) -> Place {
        var before = 0
        for bulk in bulks where bulk.start <= position {
            if position < bulk.start + bulk.count { return .bulk(position - bulk.start) }
            before += bulk.count
        }
        return .kept(position - before)
    }

    mutating func append(_ animal: Animal) { kept.append(animal) }

    /// Adds `animal-1`, `animal-2` …, cycling through the five kinds.
    mutating func appendMany(_ count: Int) {
        let count = Swift.min(count, Self.largestCount - endIndex)
        guard count > 0 else { return }
        bulks.append(Bulk(start: endIndex, count: count))
        bulkCount += count
    }

    mutating func setKind(_ kind: String, at position: Int) { changedKinds[position] = kind }

    // MARK: In bulk

    /// The initial kinds; there may be others by now.
    static let kinds = ["mammal", "bird", "reptile", "fish", "other"]

    private func animal(number: Int, at position: Int) -> Animal {
        Animal(
            legacyID: position + 1,
            uuid: Animal.uuid(identifier(at: position), legacyID: position + 1),
            name: "animal-\(number + 1)",
            germanName: nil,
            kind: Self.kinds[number % Self.kinds.count],
            legs: 4,
            heads: 1
        )
    }

    /// Returns a lower-case id. The last eight digits are the scrambled position; the others are derived from it.
    private func identifier(at position: Int) -> String {
        let place = UInt64(scrambled(UInt32(truncatingIfNeeded: position)))
        let rest = SeededGenerator.mixed(key ^ place)
        return SeededGenerator.identifier(rest, SeededGenerator.mixed(rest) << 32 | place)
    }

    /// Returns the position encoded in a bulk id.
    func position(ofGenerated identifier: String) -> Int? {
        guard let place = UInt32(identifier.suffix(8), radix: 16) else { return nil }
        let position = Int(unscrambled(place))
        let isBulk = bulks.contains { ($0.start..<$0.start + $0.count).contains(position) }
        return isBulk && self.identifier(at: position) == identifier ? position : nil
    }

    /// Scrambles a position with four rounds of a Feistel network, which is a bijection.
    private func scrambled(_ place: UInt32) -> UInt32 {
        var (left, right) = (UInt16(place >> 16), UInt16(truncatingIfNeeded: place))
        for round in 0..<4 { (left, right) = (right, left ^ mask(right, round)) }
        return UInt32(left) << 16 | UInt32(right)
    }

    private func unscrambled(_ place: UInt32) -> UInt32 {
        var (left, right) = (UInt16(place >> 16), UInt16(truncatingIfNeeded: place))
        for round in (0..<4).reversed() { (left, right) = (right ^ mask(left, round), left) }
        return UInt32(left) << 16 | UInt32(right)
    }

    private func mask(_ half: UInt16, _ round: Int) -> UInt16 {
        UInt16(truncatingIfNeeded: SeededGenerator.mixed(key &+ UInt64(half) << 8 &+ UInt64(round)))
    }
}
#endif
