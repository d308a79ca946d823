/// A capability that some harnesses have and others lack: making a vendor call back oddly, counting dropped events.
///
/// It belongs to the harness, not to the adapter. A rule that requires a capability that the harness lacks is
/// *not judged*, which says nothing about the adapter (see ``CapabilityTag`` for that). If an upgrade's old adapter keeps
/// the rule, whether to upgrade is then unknown, unless a ``KnownDeviation`` with the outcome `skipped` names it.
public struct HarnessCapability: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The capability's name in reports.
    public let rawValue: String
    /// Names a capability.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Names a capability: `"oddPaging"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The same text as ``rawValue``.
    public var description: String { rawValue }
}

extension HarnessCapability: Comparable {
    /// Orders capabilities by name.
    public static func < (a: HarnessCapability, b: HarnessCapability) -> Bool { a.rawValue < b.rawValue }
}

// Encoded as its raw value.
extension HarnessCapability: Codable {}

extension Violation {
    /// The adapter declares that its harness has the capability, and the description does not say how it is used.
    static func undescribed(_ capability: HarnessCapability, _ parameter: String) -> Violation {
        Violation("the harness claims \(capability), and there is no \(parameter)")
    }
}
