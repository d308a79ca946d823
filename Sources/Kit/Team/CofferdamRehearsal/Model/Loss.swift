/// The losses of users, by kind.
public struct Loss: Sendable, Hashable {
    /// The number of losses of each kind; kinds without losses are absent.
    private(set) var counts: [Kind: Int] = [:]
    /// The first examples of each kind.
    private(set) var examples: [String] = []

    package init() {}

    /// The kind of a loss.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// A call failed that should have succeeded.
        case failed
        /// A write was reported as having an unknown outcome.
        case unknown
        /// A call returned wrong data.
        case wrong
        /// A call did not return.
        case hung
        /// The app crashed during the call.
        case crashed
        /// A write took effect more than once.
        case duplicated = "doubled"
        /// A write was confirmed but did not take effect.
        case missing
        /// A write was refused but took effect.
        case refusedButDone = "undeclared"
        /// A stream silently skipped an item.
        case skipped = "untold"
        /// A stream delivered an item more than once.
        case repeated
        /// A stream delivered an item out of order.
        case misplaced
        /// A stream reported a gap.
        case gap
        /// A stream ended while a user followed it.
        case broken
    }

    /// The number of losses of a kind.
    subscript(_ kind: Kind) -> Int { counts[kind, default: 0] }
    /// Whether users lost nothing.
    public var isNothing: Bool { counts.isEmpty }

    mutating func add(_ kind: Kind, _ example: String) {
        counts[kind, default: 0] += 1
        if self[kind] <= Self.examplesOfAKind { examples.append("\(kind.rawValue): \(example)") }
    }

    private static let examplesOfAKind = 3
}

extension Loss.Kind {
    /// The kind in words, after its count: "calls that failed".
    func words(_ count: Int) -> String {
        let (noun, rest) =
            switch self {
            case .failed: ("call", "that failed")
            case .unknown: ("write", "with an unknown outcome")
            case .wrong: ("wrong value", "shown")
            case .hung: ("call", "that never ended")
            case .crashed: ("call", "cut off when the app crashed")
            case .duplicated: ("write", "done more than once")
            case .missing: ("write", "confirmed but not done")
            case .refusedButDone: ("write", "refused but done")
            case .skipped: ("item", "skipped by a stream")
            case .repeated: ("item", "repeated by a stream")
            case .misplaced: ("item", "delivered out of order by a stream")
            case .gap: ("gap", "reported by a stream")
            case .broken: ("stream", "cut off while a user followed")
            }
        return "\(noun)\(count == 1 ? "" : "s") \(rest)"
    }
}

extension Loss: CustomStringConvertible {
    /// "nothing", or "3 calls that failed, 1 write with an unknown outcome".
    public var description: String {
        if isNothing { return "nothing" }
        return Kind.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.words(self[$0]))" }.joined(separator: ", ")
    }
}

/// In JSON every kind has a count, even 0: `{"doubled": 0, …, "examples": []}`.
extension Loss: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        static let examples = Key(stringValue: "examples")
    }

    /// Encodes a count for every kind, zeros too, and the examples.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for kind in Kind.allCases { try container.encode(self[kind], forKey: Key(stringValue: kind.rawValue)) }
        try container.encode(examples, forKey: .examples)
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for kind in Kind.allCases {
            let count = try container.decode(Int.self, forKey: Key(stringValue: kind.rawValue))
            if count != 0 { counts[kind] = count }
        }
        examples = try container.decode([String].self, forKey: .examples)
    }
}
