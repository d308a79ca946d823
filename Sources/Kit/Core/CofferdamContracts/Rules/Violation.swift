import Cofferdam

/// One way in which an adapter breaks a rule.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// What was expected and what happened.
    public let detail: String

    /// Keeps the first 500 characters of `detail`.
    public init(_ detail: String) { self.detail = detail.count > 500 ? detail.prefix(500) + "…" : detail }

    /// The same text as ``detail``.
    public var description: String { detail }
}

/// Collects a rule's violations.
public struct Findings: Sendable {
    /// Every violation so far, in the order of discovery.
    public private(set) var violations: [Violation] = []

    /// The violations of the running case; nil outside one.
    @TaskLocal static var noted: Noted?

    /// Starts without violations.
    public init() {}

    /// Adds a violation with this text. It counts even if the rule then throws ``UnmetRequirements``.
    public mutating func add(_ detail: String) {
        let violation = Violation(detail)
        violations.append(violation)
        Self.noted?.add(violation)
    }

    /// Adds a violation unless `condition` holds.
    public mutating func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) {
        if !condition { add(otherwise()) }
    }

    /// Adds a violation that shows both values unless they are equal.
    public mutating func expectEqual<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) {
        if actual != expected { add("\(what): expected \(expected), got \(actual)") }
    }
}

extension Findings {
    /// The violations of a case, also those of a rule that throws before it returns them.
    final class Noted: Sendable {
        private let found = Mutex<[Violation]>([])

        var violations: [Violation] { found.withLock { $0 } }

        /// Findings that are passed on to other findings count once.
        fileprivate func add(_ violation: Violation) {
            found.withLock { if !$0.contains(violation) { $0.append(violation) } }
        }
    }
}
