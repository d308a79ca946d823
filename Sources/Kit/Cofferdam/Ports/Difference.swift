/// One place in which two sides say different things of the same subject.
public struct Difference: Sendable, Hashable, Codable {
    /// Of what: an id.
    public var subject: String
    /// Where in it: "legs", "lines[1].unitPrice".
    public var path: String
    /// What the legacy side says, as text; nil if it has no such thing.
    public var legacy: String?
    /// What the candidate says, as text; nil if it has no such thing.
    public var candidate: String?

    public init(subject: String, path: String, legacy: String?, candidate: String?) {
        self.subject = subject
        self.path = path
        self.legacy = legacy
        self.candidate = candidate
    }

    /// The path of a subject that one side lacks as a whole.
    public static let presence = "(presence)"
    /// Stands for either side's text of a field that is not to be shown.
    public static let redacted = "(redacted)"
}

extension Difference: CustomStringConvertible {
    public var description: String { "\(subject) \(path): \(legacy ?? "nothing") → \(candidate ?? "nothing")" }
}
