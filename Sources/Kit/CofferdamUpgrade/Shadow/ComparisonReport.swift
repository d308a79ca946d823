public import Cofferdam  // operations, sides and differences

/// The differences of a comparison, split into expected and unexpected ones, for printing as JSON.
public struct ComparisonReport: Sendable, Hashable, Codable {
    /// The expected differences.
    public var expected: [Expected]
    /// The unexpected differences.
    public var unexpected: [Difference]

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
    public struct Expected: Sendable, Hashable, Codable {
        /// The id.
        public var id: String
        /// The reason, for people.
        public var reason: String
        /// The difference.
        public var difference: Difference

        /// Creates a value from its parts.
        public init(id: String, reason: String, difference: Difference) {
            self.id = id
            self.reason = reason
            self.difference = difference
        }
    }
}
