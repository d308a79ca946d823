/// A share of all units or calls in ten-thousandths, 0 to 10,000. An integer, so that two shares are equal or clearly
/// different.
public struct Share: Sendable, Hashable, Comparable {
    /// 0 to 10,000.
    package let tenThousandths: Int

    /// - Returns: nil below 0 and above 10,000.
    package init?(tenThousandths: Int) {
        guard Self.range.contains(tenThousandths) else { return nil }
        self.tenThousandths = tenThousandths
    }

    private init(known tenThousandths: Int) { self.tenThousandths = tenThousandths }

    /// An empty share.
    public static let none = Share(known: 0)
    /// The full share.
    public static let all = Share(known: range.upperBound)
    /// The valid values.
    package static let range = 0...10_000

    /// 0 to 1.
    public var fraction: Double { Double(tenThousandths) / Double(Self.range.upperBound) }

    /// Returns whether the first share is smaller.
    public static func < (a: Share, b: Share) -> Bool { a.tenThousandths < b.tenThousandths }
}

extension Share: ExpressibleByIntegerLiteral {
    /// `.canary(share: 500)`. Only for literals in source code, never for input: an invalid literal is a programming
    /// error and traps.
    public init(integerLiteral value: Int) {
        precondition(Self.range.contains(value), "a share is 0 to 10000 ten-thousandths")
        self.init(known: value)
    }
}

extension Share: CustomStringConvertible {
    /// "500".
    public var description: String { "\(tenThousandths)" }
}
