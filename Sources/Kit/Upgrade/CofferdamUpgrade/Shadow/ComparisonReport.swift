public import Cofferdam  // operations, sides and differences

/// The differences of a comparison, split into expected and unexpected ones, for printing as JSON.
public struct ComparisonReport: Sendable, Hashable, Codable {
    /// The expected differences.
    package var expected: [Expected]
    /// The unexpected differences.
    package var unexpected: [Difference]

    /// Sorts each difference by the first expectation that covers it.
    public init(_ differences: [Difference], expecting expectations: [ExpectedDifference]) {
        expected = []
        unexpected = []
        for difference in differences {
            if let expectation = expectations.first(where: { $0.covers(difference) }) {
                expected.append(Expected(id: expectation.id, reason: expectation.reason, difference: difference))
            } else {
                unexpected.append(difference)
            }
        }
    }

    /// A difference, and the expectation that covers it.
    package struct Expected: Sendable, Hashable, Codable {
        /// The id.
        package var id: String
        /// The reason, for people.
        package var reason: String
        /// The difference.
        package var difference: Difference

        /// Creates a value from its parts.
        init(id: String, reason: String, difference: Difference) {
            self.id = id
            self.reason = reason
            self.difference = difference
        }
    }
}
