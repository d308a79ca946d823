@_exported import Darwin
public struct FilePath: Sendable, Hashable, ExpressibleByStringLiteral {
    public init(_ string: String) {}
    public init(stringLiteral value: String) {}
    public var string: String { "" }
}
public struct FileDescriptor: Sendable, Hashable, RawRepresentable {
    public let rawValue: CInt
    public init(rawValue: CInt) { self.rawValue = rawValue }
    public static var standardInput: FileDescriptor { FileDescriptor(rawValue: 0) }
    public static var standardOutput: FileDescriptor { FileDescriptor(rawValue: 1) }
    public static var standardError: FileDescriptor { FileDescriptor(rawValue: 2) }
    public struct AccessMode: RawRepresentable, Sendable, Hashable {
        public var rawValue: CInt
        public init(rawValue: CInt) { self.rawValue = rawValue }
        public static var readOnly: AccessMode { AccessMode(rawValue: 0) }
        public static var writeOnly: AccessMode { AccessMode(rawValue: 1) }
        public static var readWrite: AccessMode { AccessMode(rawValue: 2) }
    }
    public struct OpenOptions: OptionSet, Sendable, Hashable {
        public var rawValue: CInt
        public init(rawValue: CInt) { self.rawValue = rawValue }
        public static var append: OpenOptions { OpenOptions(rawValue: 1) }
        public static var create: OpenOptions { OpenOptions(rawValue: 2) }
        public static var truncate: OpenOptions { OpenOptions(rawValue: 4) }
        public static var exclusiveCreate: OpenOptions { OpenOptions(rawValue: 8) }
        public static var noFollow: OpenOptions { OpenOptions(rawValue: 16) }
        public static var closeOnExec: OpenOptions { OpenOptions(rawValue: 32) }
    }
    public static func open(
        _ path: FilePath,
        _ mode: AccessMode,
        options: OpenOptions = [],
        permissions: FilePermissions? = nil,
        retryOnInterrupt: Bool = true
    ) throws -> FileDescriptor { FileDescriptor(rawValue: 0) }
    public func close() throws {}
    public func closeAfter<R>(_ body: () throws -> R) throws -> R { try body() }
    @discardableResult public func writeAll<S: Sequence>(_ sequence: S) throws -> Int where S.Element == UInt8 { 0 }
    public func read(into buffer: UnsafeMutableRawBufferPointer, retryOnInterrupt: Bool = true) throws -> Int { 0 }
}
public struct FilePermissions: OptionSet, Sendable, Hashable, ExpressibleByIntegerLiteral {
    public var rawValue: CUnsignedShort
    public init(rawValue: CUnsignedShort) { self.rawValue = rawValue }
    public init(integerLiteral value: CUnsignedShort) { rawValue = value }
    public static var ownerReadWrite: FilePermissions { FilePermissions(rawValue: 0o600) }
}
public struct Errno: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: CInt
    public init(rawValue: CInt) { self.rawValue = rawValue }
    public var description: String { "" }
}
