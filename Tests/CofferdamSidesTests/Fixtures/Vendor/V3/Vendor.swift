import CVendor

/// The host's own version.
public enum Document {
    case empty
}

public struct Parser {
    public static let name = "Vendor 3"

    public init() {}

    public func parse(_ text: String) -> Document { .empty }

    public var parsers: [String] { [Self.name, String(cString: cvendor_name())] }
}
