public import Cofferdam  // operations, sides and differences

/// Where the two sides differ, by the field's path, with a few examples of each. Bounded, whatever is recorded.
///
/// An example shows what the comparator shows of the field, cut to a length; of a redacted field only that it differs.
public struct DifferenceSamples: Sendable, Hashable, Codable {
    /// The fields in which the sides differed, in the order in which they first did.
    public private(set) var fields: [Field] = []
    /// How many differences were in fields beyond the ``mostFields`` that are kept.
    public private(set) var unlisted = 0
    private let longestText: Int

    /// How many examples are kept of a field: the first ones.
    public static let samplesPerField = 5
    /// How many fields are kept.
    public static let mostFields = 200

    /// - Parameter longestText: how many characters of a text are shown.
    public init(longestText: Int = 80) { self.longestText = max(0, longestText) }

    public mutating func record(_ comparison: ShadowComparison) {
        for difference in comparison.differences {
            record(difference, operation: comparison.operation, outcome: comparison.outcome)
        }
    }

    private mutating func record(_ difference: Difference, operation: String, outcome: ComparisonOutcome) {
        let path = difference.pathOfAnyIndex
        let known = fields.firstIndex { $0.path == path && $0.operation == operation && $0.outcome == outcome }
        guard let index = known ?? addedField(Field(operation: operation, path: path, outcome: outcome)) else {
            unlisted += 1
            return
        }
        fields[index].count += 1
        guard fields[index].samples.count < Self.samplesPerField else { return }
        fields[index].samples.append(
            Difference(
                subject: cut(difference.subject),
                path: difference.path,
                legacy: difference.legacy.map(cut),
                candidate: difference.candidate.map(cut)
            )
        )
    }

    private mutating func addedField(_ field: Field) -> Int? {
        guard fields.count < Self.mostFields else { return nil }
        fields.append(field)
        return fields.count - 1
    }

    private func cut(_ text: String) -> String {
        let start = text.prefix(longestText)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    /// One field of what an operation gives.
    public struct Field: Sendable, Hashable, Codable {
        public var operation: String
        /// With "[*]" for any index: "lines[*].quantity".
        public var path: String
        /// What the comparisons came to in which it differed.
        public var outcome: ComparisonOutcome
        /// How often it differed.
        public var count = 0
        /// The first of these differences.
        public var samples: [Difference] = []
    }
}

extension Difference {
    /// "lines[*].quantity" for "lines[12].quantity".
    var pathOfAnyIndex: String {
        var result = ""
        var rest = path[...]
        while let open = rest.firstIndex(of: "["), let close = rest[open...].firstIndex(of: "]") {
            let index = rest[rest.index(after: open)..<close]
            result += rest[..<open]
            result += !index.isEmpty && index.allSatisfy(\.isNumber) ? "[*]" : "[\(index)]"
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
