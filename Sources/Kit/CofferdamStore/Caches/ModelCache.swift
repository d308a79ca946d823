import Cofferdam

/// Keeps bytes by key, for longer than a store lives: a session, yesterday's catalogue, a picture.
///
/// Calls may be made from any task. What was written is read by whoever asks after the write has returned; writes of
/// one key take effect in the order of their calls.
public protocol ModelCache: Sendable {
    /// Nil if nothing is kept for that key, which is not the same as no bytes.
    func bytes(for key: String) async throws -> [UInt8]?

    /// Keeps `bytes` in place of what was there; nil forgets it.
    func set(_ bytes: [UInt8]?, for key: String) async throws

    /// Forgets everything.
    func removeAll() async throws
}

/// A cache that ends with the process.
public final class MemoryCache: ModelCache {
    private let entries = Mutex<[String: [UInt8]]>([:])

    public init() {}

    public func bytes(for key: String) async -> [UInt8]? { entries.withLock { $0[key] } }

    public func set(_ bytes: [UInt8]?, for key: String) async { entries.withLock { $0[key] = bytes } }

    public func removeAll() async { entries.withLock { $0 = [:] } }
}
