#if SQLite
import Foundation

/// What a ``SQLiteCache`` keeps, for how long, and in which form.
public struct SQLiteCacheConfiguration: Sendable {
    /// The maximum size of all keys and bytes, without SQLite's own overhead; nil for no limit. A write evicts the
    /// entries written first; reading never writes. An entry over the limit is not kept, and evicts no other.
    public var maximumBytes: Int?

    /// The maximum age of an entry since it was written, to the millisecond; nil for no limit. Older entries read as
    /// absent, and a later write deletes them. So do entries dated further in the future than that, from a clock
    /// that was wrong.
    public var maximumAge: Duration?

    /// The version of the app's format, from 1 on. Opening a file of a higher version throws
    /// ``CacheError/Code/newer``.
    public var formatVersion = 1

    /// Migrates an entry of an older version when the cache is opened: returns its new bytes, or nil to delete it. All
    /// entries are migrated in one transaction: if the closure throws, opening throws that error and the file stays as
    /// it was. Without a closure, a file of an older version is emptied.
    public var migrate: (@Sendable (_ bytes: [UInt8], _ key: String, _ version: Int) throws -> [UInt8]?)?

    /// Encrypts entries on their way to the disk; nil writes them unencrypted.
    public var seal: CacheSeal?

    /// Called when entries were lost: the file was damaged and has been moved aside, or it was removed or replaced while
    /// it was open (``CacheError/Code/replaced``). The call comes from within the cache's work: it must not wait for the
    /// cache.
    public var onDamage: @Sendable (CacheError) -> Void = { _ in }

    /// Returns the time since 1970, by the system's calendar clock.
    public var now: @Sendable () -> Duration = { .seconds(Date().timeIntervalSince1970) }

    /// Creates the default configuration.
    public init() {}

    /// The defaults, changed in place: `.defaults { $0.maximumBytes = 50 << 20 }`.
    public static func defaults(_ change: (inout SQLiteCacheConfiguration) -> Void) -> SQLiteCacheConfiguration {
        var configuration = SQLiteCacheConfiguration()
        change(&configuration)
        return configuration
    }
}

/// How bytes are changed on their way to the disk and back, for encryption at rest. Keys stay as they are, as does the
/// user's id in the name of the file.
///
/// Authenticate the key together with the bytes, so that one entry cannot be passed off as another:
///
///     CacheSeal(
///         seal: { bytes, key in
///             // With a nonce of its own; the combined form holds it.
///             let box = try AES.GCM.seal(bytes, using: secret, authenticating: Data(key.utf8))
///             return [UInt8](box.combined!)
///         },
///         open: { bytes, key in
///             let box = try AES.GCM.SealedBox(combined: bytes)
///             return try [UInt8](AES.GCM.open(box, using: secret, authenticating: Data(key.utf8)))
///         }
///     )
///
/// With a key that can be discarded, entries become unreadable even on a disk from which nothing can be removed.
public struct CacheSeal: Sendable {
    let seal: @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8]
    let open: @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8]
    let discardKey: @Sendable () throws -> Void

    /// - Parameters:
    ///   - seal: if it throws, the write throws that error and writes nothing.
    ///   - open: if it throws, the read, or opening a cache that migrates, throws that error. The entry stays.
    ///   - discardKey: discards the secret, so that nothing that was sealed until now can be opened again; from
    ///     then on `seal` uses a new one. ``SQLiteCache/removeAll()`` calls it before anything else, each time. Its
    ///     error is thrown after everything else has been done.
    public init(
        seal: @escaping @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8],
        open: @escaping @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8],
        discardKey: @escaping @Sendable () throws -> Void = {}
    ) {
        self.seal = seal
        self.open = open
        self.discardKey = discardKey
    }
}

extension Duration {
    /// Whole milliseconds, so far from the bounds of `Int64` that a sum of two does not overflow.
    var boundedMilliseconds: Int64 {
        let bound = Int64.max / 4
        let (thousands, isOver) = components.seconds.multipliedReportingOverflow(by: 1000)
        guard !isOver, abs(thousands) < bound else { return components.seconds < 0 ? -bound : bound }
        return thousands + components.attoseconds / 1_000_000_000_000_000
    }
}
#endif
