public import Cofferdam  // operations, sides and differences

/// A difference that was foreseen, as data: at one path, from these texts to those.
public struct ExpectedDifference: Sendable, Hashable, Codable {
    /// The name under which it was decided: "D5".
    public var id: String
    /// The path to which it applies, with "[*]" for any index: "lines[*].unitPrice".
    public var path: String
    /// Why it is right, for people.
    public var reason: String
    /// Which texts may become which; a change that none allows is unexpected.
    public var changes: [Change]

    public init(id: String, path: String, reason: String, changes: [Change]) {
        self.id = id
        self.path = path
        self.reason = reason
        self.changes = changes
    }

    /// From one text of the legacy side to any of several of the candidate's; nil is "no such thing".
    public struct Change: Sendable, Hashable, Codable {
        public var legacy: String?
        public var candidates: [String?]

        public init(from legacy: String?, to candidates: [String?]) {
            self.legacy = legacy
            self.candidates = candidates
        }
    }

    /// Whether that difference is this one.
    public func covers(_ difference: Difference) -> Bool {
        coversPath(difference.path)
            && changes.contains { $0.legacy == difference.legacy && $0.candidates.contains(difference.candidate) }
    }

    private func coversPath(_ other: String) -> Bool {
        var rest = other[...]
        for (index, piece) in path.split(separator: "[*]", omittingEmptySubsequences: false).enumerated() {
            if index > 0 {
                guard rest.first == "[", let end = rest.firstIndex(of: "]"),
                    Int(rest[rest.index(after: rest.startIndex)..<end]) != nil
                else { return false }
                rest = rest[rest.index(after: end)...]
            }
            guard rest.hasPrefix(piece) else { return false }
            rest = rest.dropFirst(piece.count)
        }
        return rest.isEmpty
    }
}
