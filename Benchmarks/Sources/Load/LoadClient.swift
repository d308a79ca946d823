/// An HTTP client under load, with the operations that the workloads need.
public protocol LoadClient: Sendable {
    /// Sends one GET and waits for the whole reply.
    ///
    /// - Returns: the length of the body, in bytes.
    /// - Throws: the client's error, or an error if the status is not 200.
    func get() async throws -> Int

    /// Downloads a body in blocks, and pauses as `pace` requires.
    func download(at pace: inout Pace) async throws

    func close() async

    /// The executor of the sending tasks; `nil` for Swift's own pool.
    var executor: (any TaskExecutor)? { get }
}

extension LoadClient {
    public var executor: (any TaskExecutor)? { nil }
}

/// The headers that every client sends.
public let requestHeaders = [
    (name: "Accept", value: "application/json"),
    (name: "Authorization", value: "Bearer benchmark"),
    (name: "X-Request-ID", value: "0123456789abcdef"),
    // CurlClient's own, which the others would not all send.
    (name: "Accept-Encoding", value: "gzip, deflate, br, zstd"),
]

public struct LoadError: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}
