import CVendor

/// A version that the host has for itself.
public enum Document {
    case empty
}

public struct Parser {
    public static let name = "Vendor 3"

    public init() {}

    public func parse(_ text: String) -> Document { .empty }

    public var parsers: [String] { [Self.name, String(cString: cvendor_name())] }
}
