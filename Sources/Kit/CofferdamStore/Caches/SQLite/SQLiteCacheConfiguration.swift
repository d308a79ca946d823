#if SQLite
    import Foundation

    /// What a ``SQLiteCache`` keeps, for how long, and in which form.
    public struct SQLiteCacheConfiguration: Sendable {
        /// How much is kept, keys and bytes together, without what SQLite adds: what was written first goes first, at the
        /// next write, so that reading never writes. An entry that is greater by itself is not kept, and no other goes for
        /// it. Nil for no limit.
        public var maximumBytes: Int?

        /// How long an entry is kept after it was written, to the millisecond. An older one is absent at once, and gone at
        /// a later write; so is one from further in the future than that, by a clock that was wrong. Nil for no limit.
        public var maximumAge: Duration?

        /// The version of what the app writes, from 1 on. A file with a greater one is refused with
        /// ``CacheError/Code/newer``.
        public var formatVersion = 1

        /// What becomes of an entry that an older version of the app wrote, when the cache is opened: its bytes now, or nil
        /// to forget it. All entries are migrated in one transaction: if it throws, opening throws that error, and all
        /// stays as it was. Without it, a file of an older version is emptied.
        public var migrate: (@Sendable (_ bytes: [UInt8], _ key: String, _ version: Int) throws -> [UInt8]?)?

        /// Encrypts what is kept.
        public var seal: CacheSeal?

        /// Called when something was lost: a file was found damaged, after it has been moved aside; or it was removed or
        /// replaced while it was open, ``CacheError/Code/replaced``. It is called from within the cache's work: it must not
        /// wait for the cache.
        public var onDamage: @Sendable (CacheError) -> Void = { _ in }

        /// The time since 1970 by the calendar's clock.
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
    /// With a key that can be thrown away, what is kept is forgotten even on a disk that nothing can be removed from.
    public struct CacheSeal: Sendable {
        let seal: @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8]
        let open: @Sendable (_ bytes: [UInt8], _ key: String) throws -> [UInt8]
        let discardKey: @Sendable () throws -> Void

        /// - Parameters:
        ///   - seal: an error of it is thrown by the write, which then writes nothing.
        ///   - open: an error of it is thrown by the read, or by opening a cache that migrates. The entry stays.
        ///   - discardKey: throws the secret away, so that nothing that was sealed until now can be opened again; from then on
        ///     `seal` uses a new one. ``SQLiteCache/removeAll()`` calls it before anything else, each time. An error of it is
        ///     thrown after everything else was done.
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
        /// Whole milliseconds, so far from the bounds of `Int64` that a sum of two is no overflow.
        var boundedMilliseconds: Int64 {
            let bound = Int64.max / 4
            let (thousands, isOver) = components.seconds.multipliedReportingOverflow(by: 1000)
            guard !isOver, abs(thousands) < bound else { return components.seconds < 0 ? -bound : bound }
            return thousands + components.attoseconds / 1_000_000_000_000_000
        }
    }
#endif
