/// Something in a vendor's payload that could not be read as it stands: told, never dropped in silence.
public struct TranslationIssue: Error, Sendable, Hashable {
    /// What is wrong, for people: "unknown group".
    public var what: String
    /// Where in the payload: "items[3].kind".
    public var path: String
    /// What stood there, as text.
    public var raw: String
    public var severity: Severity

    public init(_ what: String, at path: String, raw: String, severity: Severity = .error) {
        self.what = what
        self.path = path
        self.raw = raw
        self.severity = severity
    }

    public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Worth knowing; the value is right.
        case info
        /// The value is there, with less than the vendor said.
        case warning
        /// There is no value.
        case error

        public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .error: 2
            }
        }
    }
}

extension TranslationIssue: CustomStringConvertible {
    public var description: String { "\(severity.rawValue): \(what) at \(path): \(raw)" }
}
