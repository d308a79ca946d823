package import Cofferdam  // operations, sides and differences

/// The fields in which the two sides differ, with a few samples of each. Its size is bounded.
///
/// A sample shows the comparator's text for the field, truncated; for a redacted field, only that it differs.
package struct DifferenceSamples: Sendable, Hashable, Codable {
    /// The fields that differ, in the order in which they first did.
    package private(set) var fields: [Field] = []
    /// The number of differences in fields beyond the ``maxFields`` that are kept.
    package private(set) var unlisted = 0
    private let longestText: Int

    /// The number of samples kept for a field; the first ones are kept.
    package static let samplesPerField = 5
    /// The number of fields that are kept.
    package static let maxFields = 200

    /// - Parameter longestText: the number of characters after which a text is truncated.
    package init(longestText: Int = 80) { self.longestText = max(0, longestText) }

    package mutating func record(_ comparison: ShadowComparison) {
        for difference in comparison.differences {
            record(difference, operation: comparison.operation, outcome: comparison.outcome)
        }
    }

    private mutating func record(_ difference: Difference, operation: String, outcome: ComparisonOutcome) {
        let path = difference.pathWithoutIndices
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
        guard fields.count < Self.maxFields else { return nil }
        fields.append(field)
        return fields.count - 1
    }

    private func cut(_ text: String) -> String {
        let start = text.prefix(longestText)
        return start.endIndex == text.endIndex ? text : start + "…"
    }

    /// A field of the result of an operation.
    package struct Field: Sendable, Hashable, Codable {
        package var operation: String
        /// With "[*]" for any index: "lines[*].quantity".
        package var path: String
        /// The outcome of the comparisons in which the field differed.
        package var outcome: ComparisonOutcome
        /// How often it differed.
        package var count = 0
        /// The first of these differences.
        package var samples: [Difference] = []
    }
}

extension Difference {
    /// "lines[*].quantity" for "lines[12].quantity".
    package var pathWithoutIndices: String {
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

extension EvidenceReport.Sample {
    /// The maximum number of Unicode scalars of a text.
    private static let longestText = 200

    /// The first sample of each field of mismatches.
    static func samples(of samples: DifferenceSamples) -> [EvidenceReport.Sample] {
        samples.fields.compactMap { field in
            guard field.outcome == .mismatch, let difference = field.samples.first else { return nil }
            return EvidenceReport.Sample(
                operation: field.operation,
                path: cut(difference.path),
                legacy: difference.legacy.map(cut),
                candidate: difference.candidate.map(cut)
            )
        }
    }

    private static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText)))
    }
}
