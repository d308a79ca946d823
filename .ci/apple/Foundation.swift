@_exported import Darwin
@_exported import Dispatch
public typealias TimeInterval = Double
open class NSObject: Hashable {
    public init() {}
    public static func == (a: NSObject, b: NSObject) -> Bool { true }
    public func hash(into h: inout Hasher) {}
    open var description: String { "" }
}
public protocol NSObjectProtocol {}
extension NSObject: NSObjectProtocol {}
open class NSError: NSObject, @unchecked Sendable, Error {
    public init(domain: String, code: Int, userInfo: [String: Any]? = nil) {}
    open var code: Int { 0 }
    open var domain: String { "" }
    open var userInfo: [String: Any] { [:] }
    open var localizedDescription: String { "" }
}
public func _convertErrorToNSError(_ error: any Error) -> NSError { NSError(domain: "", code: 0) }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { error! }
public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}
extension Error { public var localizedDescription: String { "" } }
public struct CocoaError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) {}
    public var code: Code { Code(rawValue: 0) }
    public static var fileNoSuchFile: Code { Code(rawValue: 4) }
    public static var fileReadNoSuchFile: Code { Code(rawValue: 260) }
    public static var fileWriteFileExists: Code { Code(rawValue: 516) }
    public static var fileWriteUnknown: Code { Code(rawValue: 512) }
}
extension CocoaError.Code { public static var fileWriteOutOfSpace: Self { Self(rawValue: 640) } }
public func ~= (match: CocoaError.Code, error: any Error) -> Bool { false }
open class NSNumber: NSObject, @unchecked Sendable {
    public init(value: Int) {}
    public init(value: Double) {}
    public init(value: Bool) {}
    open var intValue: Int { 0 }
    open var doubleValue: Double { 0 }
    open var boolValue: Bool { false }
    open var int64Value: Int64 { 0 }
    open var uint64Value: UInt64 { 0 }
    open var stringValue: String { "" }
}
open class NSString: NSObject, @unchecked Sendable {
    public init(string: String) {}
    open var deletingLastPathComponent: String { "" }
    open var lastPathComponent: String { "" }
    open var pathExtension: String { "" }
}
extension String: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { NSString(string: self) }
    public static func _forceBridgeFromObjectiveC(_ s: NSString, result: inout String?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSString, result: inout String?) -> Bool { true }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSString?) -> String { "" }
}
open class NSDate: NSObject, @unchecked Sendable {}
open class NSData: NSObject, @unchecked Sendable {}
open class NSNull: NSObject, @unchecked Sendable {}
open class NSUUID: NSObject, @unchecked Sendable {}
open class NSURL: NSObject, @unchecked Sendable {}
open class NSDictionary: NSObject, @unchecked Sendable {}
open class NSDecimalNumber: NSNumber {}
public protocol ReferenceConvertible: _ObjectiveCBridgeable, Hashable, CustomStringConvertible {
    associatedtype ReferenceType: NSObject
}
public protocol NSLocking {
    func lock()
    func unlock()
}
extension NSLocking { public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() } }
open class NSLock: NSObject, @unchecked Sendable, NSLocking {
    public func lock() {}
    public func unlock() {}
}
open class NSRecursiveLock: NSObject, @unchecked Sendable, NSLocking {
    public func lock() {}
    public func unlock() {}
}
public protocol ContiguousBytes { func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R }
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}
public struct Data: DataProtocol, ContiguousBytes, RangeReplaceableCollection, MutableCollection, Hashable, Codable,
    Sendable
{
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = Self(rawValue: 1), withoutOverwriting = Self(rawValue: 2),
            completeFileProtectionUntilFirstUserAuthentication = Self(rawValue: 8)
    }
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let alwaysMapped = Self(rawValue: 1), mappedIfSafe = Self(rawValue: 2)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public init() {}
    public init(count: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init<S: Sequence>(_ s: S) where S.Element == UInt8 {}
    public init(repeating: UInt8, count: Int) {}
    public init(contentsOf: URL, options: ReadingOptions = []) throws {}
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) {}
    public init?(base64Encoded: Data, options: Base64DecodingOptions = []) {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public var count: Int { 0 }
    public subscript(i: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(r: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ r: Range<Int>, with c: C) where C.Element == UInt8 {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
        fatalError()
    }
    public mutating func append(_ d: Data) {}
    public mutating func resetBytes(in range: Range<Int>) {}
    public func write(to: URL, options: WritingOptions = []) throws {}
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
    public func base64EncodedData(options: Base64EncodingOptions = []) -> Data { self }
    public func subdata(in: Range<Int>) -> Data { self }
}
public struct URL: Hashable, Codable, Sendable, CustomStringConvertible {
    public enum DirectoryHint: Sendable { case isDirectory, notDirectory, checkFileSystem, inferFromPath }
    public init?(string: String) { nil }
    public init?(string: String, relativeTo: URL?) { nil }
    public init(fileURLWithPath: String) {}
    public init(fileURLWithPath: String, isDirectory: Bool) {}
    @available(macOS 13.0, iOS 16.0, *) public init(
        filePath: String,
        directoryHint: DirectoryHint = .inferFromPath,
        relativeTo: URL? = nil
    ) {}
    public var description: String { "" }
    public var absoluteString: String { "" }
    public var path: String { "" }
    public var scheme: String? { nil }
    public var host: String? { nil }
    public var port: Int? { nil }
    public var query: String? { nil }
    public var isFileURL: Bool { false }
    public var lastPathComponent: String { "" }
    public var pathExtension: String { "" }
    public var pathComponents: [String] { [] }
    public var standardizedFileURL: URL { self }
    public var hasDirectoryPath: Bool { false }
    @available(macOS 13.0, iOS 16.0, *) public func path(percentEncoded: Bool = true) -> String { "" }
    @available(macOS 13.0, iOS 16.0, *) public func host(percentEncoded: Bool = true) -> String? { nil }
    @available(macOS 13.0, iOS 16.0, *) public func appending<S: StringProtocol>(
        path: S,
        directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { self }
    @available(macOS 13.0, iOS 16.0, *) public func appending<S: StringProtocol>(
        component: S,
        directoryHint: DirectoryHint = .inferFromPath
    ) -> URL { self }
    public func appendingPathComponent(_ p: String) -> URL { self }
    public func appendingPathComponent(_ p: String, isDirectory: Bool) -> URL { self }
    public func appendingPathExtension(_ p: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public mutating func deleteLastPathComponent() {}
    public func deletingPathExtension() -> URL { self }
    public func resolvingSymlinksInPath() -> URL { self }
}
public struct UUID: Hashable, Codable, Sendable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) { nil }
    public var uuidString: String { "" }
    public var description: String { "" }
    public var uuid:
        (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)
    { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
    public init(
        uuid: (
            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
            UInt8
        )
    ) {}
}
public protocol FormatStyle: Hashable, Codable {
    associatedtype FormatInput
    associatedtype FormatOutput
    func format(_ value: FormatInput) -> FormatOutput
}
public struct Date: Comparable, Hashable, Codable, Sendable, CustomStringConvertible {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public static var now: Date { Date() }
    public static let distantPast = Date(), distantFuture = Date()
    public var description: String { "" }
    public var timeIntervalSince1970: TimeInterval { 0 }
    public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
    public var timeIntervalSinceNow: TimeInterval { 0 }
    public func timeIntervalSince(_ d: Date) -> TimeInterval { 0 }
    public func addingTimeInterval(_ t: TimeInterval) -> Date { self }
    public static func < (a: Self, b: Self) -> Bool { false }
    public struct ISO8601FormatStyle: FormatStyle, Sendable {
        public enum DateSeparator: String, Codable, Sendable { case dash, omitted }
        public enum DateTimeSeparator: String, Codable, Sendable { case space, standard }
        public enum TimeSeparator: String, Codable, Sendable { case colon, omitted }
        public enum TimeZoneSeparator: String, Codable, Sendable { case colon, omitted }
        public init(
            dateSeparator: DateSeparator = .dash,
            dateTimeSeparator: DateTimeSeparator = .standard,
            timeSeparator: TimeSeparator = .colon,
            timeZoneSeparator: TimeZoneSeparator = .omitted,
            includingFractionalSeconds: Bool = false,
            timeZone: TimeZone = TimeZone(identifier: "")!
        ) {}
        public func format(_ d: Date) -> String { "" }
        public func parse(_ s: String) throws -> Date { Date() }
    }
    public func formatted<F: FormatStyle>(_ style: F) -> F.FormatOutput where F.FormatInput == Date {
        style.format(self)
    }
    public func ISO8601Format(_ style: ISO8601FormatStyle = .init()) -> String { "" }
}
extension FormatStyle where Self == Date.ISO8601FormatStyle {
    public static var iso8601: Self { Date.ISO8601FormatStyle() }
}
public struct TimeZone: Hashable, Codable, Sendable {
    public init?(identifier: String) {}
    public init?(secondsFromGMT: Int) {}
    public static var gmt: TimeZone { TimeZone(identifier: "")! }
    public static var current: TimeZone { gmt }
    public var identifier: String { "" }
    public func secondsFromGMT(for d: Date = Date()) -> Int { 0 }
}
public struct Locale: Hashable, Codable, Sendable {
    public init(identifier: String) {}
    public static var current: Locale { Locale(identifier: "") }
    public var identifier: String { "" }
}
public struct DateComponents: Hashable, Codable, Sendable {
    public init() {}
    public var year: Int?, month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?, weekday: Int?
}
public struct Calendar: Hashable, Codable, Sendable {
    public enum Identifier: Sendable { case gregorian, iso8601 }
    public enum Component: Hashable, Sendable { case era, year, month, day, hour, minute, second, weekday }
    public init(identifier: Identifier) {}
    public static var current: Calendar { Calendar(identifier: .gregorian) }
    public var timeZone: TimeZone {
        get { .gmt }
        set {}
    }
    public func dateComponents(_ c: Set<Component>, from: Date) -> DateComponents { DateComponents() }
    public func date(from: DateComponents) -> Date? { nil }
}
public struct Decimal: Comparable, Hashable, Codable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    public init() {}
    public init(_ v: Int) {}
    public init(_ v: Double) {}
    public init(integerLiteral: Int) {}
    public init?(string: String, locale: Locale? = nil) { nil }
    public var description: String { "" }
    public static func < (a: Self, b: Self) -> Bool { false }
}
public protocol TopLevelEncoder {}
public protocol TopLevelDecoder {}
open class JSONEncoder: @unchecked Sendable {
    public init() {}
    open func encode<T: Encodable>(_ v: T) throws -> Data { Data() }
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = Self(rawValue: 1), sortedKeys = Self(rawValue: 2),
            withoutEscapingSlashes = Self(rawValue: 8)
    }
    open var outputFormatting: OutputFormatting {
        get { [] }
        set {}
    }
    public enum KeyEncodingStrategy: Sendable { case useDefaultKeys, convertToSnakeCase }
    open var keyEncodingStrategy: KeyEncodingStrategy {
        get { .useDefaultKeys }
        set {}
    }
    public enum DateEncodingStrategy: Sendable { case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601 }
    open var dateEncodingStrategy: DateEncodingStrategy {
        get { .iso8601 }
        set {}
    }
    public enum DataEncodingStrategy: Sendable { case base64, deferredToData }
    open var dataEncodingStrategy: DataEncodingStrategy {
        get { .base64 }
        set {}
    }
    public enum NonConformingFloatEncodingStrategy: Sendable {
        case `throw`, convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
        get { .throw }
        set {}
    }
    open var userInfo: [CodingUserInfoKey: Any] {
        get { [:] }
        set {}
    }
}
open class JSONDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ t: T.Type, from: Data) throws -> T { fatalError() }
    public enum KeyDecodingStrategy: Sendable { case useDefaultKeys, convertFromSnakeCase }
    open var keyDecodingStrategy: KeyDecodingStrategy {
        get { .useDefaultKeys }
        set {}
    }
    public enum DateDecodingStrategy: Sendable { case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601 }
    open var dateDecodingStrategy: DateDecodingStrategy {
        get { .iso8601 }
        set {}
    }
    public enum DataDecodingStrategy: Sendable { case base64, deferredToData }
    open var dataDecodingStrategy: DataDecodingStrategy {
        get { .base64 }
        set {}
    }
    public enum NonConformingFloatDecodingStrategy: Sendable {
        case `throw`, convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    open var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { .throw }
        set {}
    }
    open var userInfo: [CodingUserInfoKey: Any] {
        get { [:] }
        set {}
    }
}
open class PropertyListEncoder: @unchecked Sendable {
    public init() {}
    open func encode<T: Encodable>(_ v: T) throws -> Data { Data() }
    open var outputFormat: PropertyListSerialization.PropertyListFormat {
        get { .binary }
        set {}
    }
}
open class PropertyListDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ t: T.Type, from: Data) throws -> T { fatalError() }
}
open class PropertyListSerialization: NSObject, @unchecked Sendable {
    public enum PropertyListFormat: UInt, Sendable { case openStep = 1, xml = 100, binary = 200 }
}
open class JSONSerialization: NSObject, @unchecked Sendable {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    open class func jsonObject(with: Data, options: ReadingOptions = []) throws -> Any { 0 }
}
public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let posixPermissions = Self(rawValue: ""), size = Self(rawValue: ""),
        modificationDate = Self(rawValue: ""), systemFileNumber = Self(rawValue: ""),
        protectionKey = Self(rawValue: ""), type = Self(rawValue: "")
}
open class FileManager: NSObject, @unchecked Sendable {
    open class var `default`: FileManager { FileManager() }
    open var temporaryDirectory: URL { URL(fileURLWithPath: "") }
    open var currentDirectoryPath: String { "" }
    open func contents(atPath: String) -> Data? { nil }
    open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
    open func subpathsOfDirectory(atPath: String) throws -> [String] { [] }
    open func copyItem(at: URL, to: URL) throws {}
    open func copyItem(atPath: String, toPath: String) throws {}
    open func moveItem(at: URL, to: URL) throws {}
    open func moveItem(atPath: String, toPath: String) throws {}
    open func removeItem(at: URL) throws {}
    open func removeItem(atPath: String) throws {}
    open func createDirectory(at: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil)
        throws
    {}
    open func createDirectory(
        atPath: String,
        withIntermediateDirectories: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    @discardableResult open func createFile(atPath: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil)
        -> Bool
    { true }
    open func fileExists(atPath: String) -> Bool { false }
    open func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    open func isExecutableFile(atPath: String) -> Bool { false }
    open func isWritableFile(atPath: String) -> Bool { false }
    open func destinationOfSymbolicLink(atPath: String) throws -> String { "" }
    open func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
    open func setAttributes(_ a: [FileAttributeKey: Any], ofItemAtPath: String) throws {}
}
public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public init(_ v: Bool) {}
    public init(booleanLiteral: Bool) {}
    public var boolValue: Bool { false }
}
open class FileHandle: NSObject, @unchecked Sendable {
    public convenience init(forUpdating: URL) throws { self.init() }
    public convenience init(forReadingFrom: URL) throws { self.init() }
    public convenience init(forWritingTo: URL) throws { self.init() }
    public func readToEnd() throws -> Data? { nil }
    public func read(upToCount: Int) throws -> Data? { nil }
    public func write<T: DataProtocol>(contentsOf: T) throws {}
    @discardableResult public func seekToEnd() throws -> UInt64 { 0 }
    public func seek(toOffset: UInt64) throws {}
    public func truncate(atOffset: UInt64) throws {}
    public func synchronize() throws {}
    public func close() throws {}
}
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { ProcessInfo() }
    open var environment: [String: String] { [:] }
    open var arguments: [String] { [] }
    open var processName: String { "" }
    open var processIdentifier: Int32 { 0 }
    open var operatingSystemVersionString: String { "" }
    open var activeProcessorCount: Int { 0 }
    open var systemUptime: TimeInterval { 0 }
    @available(macOS 10.12, *) @available(iOS, unavailable) open var userName: String { "" }
}
public func NSUserName() -> String { "" }
public func NSHomeDirectory() -> String { "" }
public func NSTemporaryDirectory() -> String { "" }
open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { Bundle() }
    open var executablePath: String? { nil }
    open var executableURL: URL? { nil }
    open var bundlePath: String { "" }
    open var bundleURL: URL { URL(fileURLWithPath: "") }
    open var bundleIdentifier: String? { nil }
}
open class Thread: NSObject, @unchecked Sendable {
    public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
    open func start() {}
    open class var isMainThread: Bool { true }
    open class func sleep(forTimeInterval: TimeInterval) {}
}
public struct CharacterSet: Hashable, Sendable {
    public init(charactersIn: String) {}
    public static var whitespaces: CharacterSet { CharacterSet(charactersIn: "") }
    public static var whitespacesAndNewlines: CharacterSet { CharacterSet(charactersIn: "") }
    public static var urlQueryAllowed: CharacterSet { CharacterSet(charactersIn: "") }
    public static var urlPathAllowed: CharacterSet { CharacterSet(charactersIn: "") }
}
extension String {
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Self(rawValue: 4), ascii = Self(rawValue: 1), isoLatin1 = Self(rawValue: 5)
    }
    public init?<S: Sequence>(bytes: S, encoding: Encoding) where S.Element == UInt8 { nil }
    public init?(data: Data, encoding: Encoding) { nil }
    public init(contentsOf: URL, encoding: Encoding) throws { self = "" }
    public init(contentsOfFile: String, encoding: Encoding) throws { self = "" }
    public init(format: String, _ a: any CVarArg...) { self = "" }
}
extension StringProtocol {
    public var precomposedStringWithCanonicalMapping: String { "" }
    public var decomposedStringWithCanonicalMapping: String { "" }
    public var removingPercentEncoding: String? { nil }
    public func addingPercentEncoding(withAllowedCharacters: CharacterSet) -> String? { nil }
    public func trimmingCharacters(in: CharacterSet) -> String { "" }
    public func data(using: String.Encoding, allowLossyConversion: Bool = false) -> Data? { nil }
    public func components<T: StringProtocol>(separatedBy: T) -> [String] { [] }
    public func replacingOccurrences<T: StringProtocol, R: StringProtocol>(of: T, with: R) -> String { "" }
    public func write(toFile: String, atomically: Bool, encoding: String.Encoding) throws {}
    public var localizedCapitalized: String { "" }
    public var localizedLowercase: String { "" }
    public var localizedUppercase: String { "" }
}
public struct CGFloat: Hashable, Sendable {
    public init(_ x: Double) {}
    public var native: Double { 0 }
}
open class DateFormatter: NSObject, @unchecked Sendable {
    open func string(from: Date) -> String { "" }
    open func date(from: String) -> Date? { nil }
    open var dateFormat: String!
    open var locale: Locale!
    open var timeZone: TimeZone!
}
open class ISO8601DateFormatter: NSObject, @unchecked Sendable {
    open func string(from: Date) -> String { "" }
    open func date(from: String) -> Date? { nil }
}
open class NSRegularExpression: NSObject, @unchecked Sendable {}
public struct Notification: Sendable { public struct Name: Hashable, Sendable { public init(_ s: String) {} } }
public struct FileProtectionType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let completeUntilFirstUserAuthentication = Self(rawValue: "")
}
public struct URLResourceValues {
    public init() {}
    public var isExcludedFromBackup: Bool? {
        get { nil }
        set {}
    }
}
extension URL { public mutating func setResourceValues(_ v: URLResourceValues) throws {} }
open class OperationQueue: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class HTTPCookie: NSObject, @unchecked Sendable {
    public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}
open class NSURLRequest: NSObject, @unchecked Sendable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
}
public struct URLRequest: Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy
    public init(url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60) {}
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpShouldHandleCookies: Bool {
        get { true }
        set {}
    }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}
open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    open func copy() -> Any { self }
    open var urlCache: URLCache? {
        get { nil }
        set {}
    }
    open var requestCachePolicy: NSURLRequest.CachePolicy {
        get { .useProtocolCachePolicy }
        set {}
    }
    open var httpCookieStorage: HTTPCookieStorage? {
        get { nil }
        set {}
    }
    open var httpShouldSetCookies: Bool {
        get { true }
        set {}
    }
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { .never }
        set {}
    }
    open var urlCredentialStorage: URLCredentialStorage? {
        get { nil }
        set {}
    }
    open var waitsForConnectivity: Bool {
        get { true }
        set {}
    }
}
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { 0 }
    open var response: URLResponse? { nil }
    open func resume() {}
    open func cancel() {}
}
open class URLSessionDataTask: URLSessionTask {}
open class URLSession: NSObject, @unchecked Sendable {
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) {}
    open func dataTask(with: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
    open func invalidateAndCancel() {}
}
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    )
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
