/// A client's options, which the benchmark passes on the command line: `--name value …`.
public struct LoadOptions: Sendable {
    public enum Workload: String, Sendable { case requests, stream, cancellation }

    public var variant = ""
    public var workload = Workload.requests
    public var url = ""
    /// A PEM file of the certificate authority to trust.
    public var authority: String?
    /// Whether to speak HTTP/2.
    public var isHTTP2 = false
    /// The number of tasks, each of which sends one request after the other.
    public var concurrency = 1
    /// How long to send before the measurement, in seconds.
    public var warm = 0.0
    /// How long to measure, in seconds.
    public var seconds = 1.0
    /// The number of requests to send, instead of a duration in `seconds`.
    public var count: Int?
    /// The expected length of each reply's body.
    public var expected = 0
    /// The pause of a slow consumer after each MB, in milliseconds.
    public var pause = 0

    public init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw LoadError("\(name) needs a value") }
            switch name {
            case "--variant": variant = value
            case "--workload": workload = try Self.read(value, Workload.init(rawValue:))
            case "--url": url = value
            case "--authority": authority = value
            case "--protocol": isHTTP2 = value == "h2"
            case "--concurrency": concurrency = try Self.read(value, Int.init)
            case "--warm": warm = try Self.read(value, Double.init)
            case "--seconds": seconds = try Self.read(value, Double.init)
            case "--count": count = try Self.read(value, Int.init)
            case "--expected": expected = try Self.read(value, Int.init)
            case "--pause": pause = try Self.read(value, Int.init)
            default: throw LoadError("unknown option \(name)")
            }
        }
    }

    private static func read<Value>(_ text: String, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(text) else { throw LoadError("'\(text)' is not understood") }
        return value
    }
}
