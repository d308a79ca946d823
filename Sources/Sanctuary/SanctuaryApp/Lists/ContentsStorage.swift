import Cofferdam
public import CofferdamStore  // it keeps bytes in the kit's caches
public import SanctuaryDomain  // and notes when, as the domain's instants

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A model that is kept from one life of the app to the next, in a shape of its own.
protocol KeptModel: StoreModel {
    associatedtype Kept: Codable & Sendable
    var kept: Kept { get }
    /// Whether it is worth being kept: what may come to nothing yet is not.
    var isLasting: Bool { get }
    /// - Throws: ``UnreadableContents`` for what no model can be made of.
    init(_ kept: Kept) throws
}

extension KeptModel {
    var isLasting: Bool { true }
}

/// Keeps what the lists show from one life of the app to the next. What cannot be read is as if it had never been kept.
public actor ContentsStorage {
    private let cache: any ModelCache
    private let now: @Sendable () -> Instant
    private let report: @Sendable (any Error) -> Void
    private var lastWrite: Task<Void, Never>?

    /// - Parameters:
    ///   - now: the time of day.
    ///   - report: told of what cannot be kept or read; nothing else fails because of that.
    public init(
        _ cache: any ModelCache,
        now: @escaping @Sendable () -> Instant = { Instant.now },
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.cache = cache
        self.now = now
        self.report = report
    }

    /// - Parameters:
    ///   - loadable: whose contents are kept: asked for them when it comes to it, so that nothing forgotten is written.
    ///   - adopting: called before it is read; gives what takes it in.
    nonisolated func persistence<Model: KeptModel>(
        _ key: String,
        _ loadable: WeakLoadable<[Model]>,
        adopting: @escaping @Sendable () -> @Sendable ([Model]) async throws -> [Model]
    ) -> LoadablePersistence<[Model]> {
        LoadablePersistence(
            restore: {
                let adopt = adopting()
                guard let (models, age) = try await self.read(key, of: Model.self) else { return nil }
                return LoadablePersistence.Record(try await adopt(models), age: age)
            },
            save: { _ in await self.save(key) { loadable.value?.snapshot } },
            report: report
        )
    }

    func save<Model: KeptModel>(
        _ key: String,
        _ snapshot: @escaping @Sendable () -> LoadableSnapshot<[Model]>?
    ) async {
        await inTurn { [cache, now] in
            guard let snapshot = snapshot(), let models = snapshot.contents, let age = snapshot.age else { return }
            let loadedAt = now().millisecondsSince1970 - Int64(age / .milliseconds(1))
            let record = Record(loadedAt: loadedAt, items: models.filter(\.isLasting).map(\.kept))
            try await cache.set([UInt8](JSONEncoder().encode(record)), for: key)
        }
    }

    /// What was kept, however old; nil if nothing was, or it cannot be read.
    func recall<Model: KeptModel>(_ key: String, of type: Model.Type) async -> [Model]? {
        do { return try await read(key, of: type)?.0 } catch {
            report(error)
            return nil
        }
    }

    func forget(_ key: String) async { await inTurn { [cache] in try await cache.set(nil, for: key) } }

    /// One write after the other, so that none keeps again what was forgotten meanwhile; it is done even if the caller gives up.
    private func inTurn(_ write: @escaping @Sendable () async throws -> Void) async {
        let before = lastWrite
        let task = Task { [report] in
            await before?.value
            do { try await write() } catch { report(error) }
        }
        lastWrite = task
        await task.value
    }

    private func read<Model: KeptModel>(_ key: String, of type: Model.Type) async throws -> ([Model], Duration)? {
        guard let bytes = try await cache.bytes(for: key) else { return nil }
        let record = try JSONDecoder().decode(Record<Model.Kept>.self, from: Data(bytes))
        // A clock that was set back says as little as one that went on.
        let age = (now().millisecondsSince1970 - record.loadedAt).magnitude
        return (try record.items.map { try Model($0) }, .milliseconds(Int64(clamping: age)))
    }

    private struct Record<Item: Codable>: Codable {
        var loadedAt: Int64
        var items: [Item]
    }
}

/// What was kept is not as this version of the app keeps it.
struct UnreadableContents: Error, Hashable {
    var what: String
}

/// A loadable that is made after those who refer to it.
final class WeakLoadable<Contents: Sendable>: Sendable {
    private struct Reference: Sendable { weak var loadable: Loadable<Contents>? }
    private let reference = Mutex(Reference())

    var value: Loadable<Contents>? {
        get { reference.withLock { $0.loadable } }
        set { reference.withLock { $0.loadable = newValue } }
    }
}

extension Instant {
    /// By the system's clock.
    public static var now: Instant {
        Instant(seconds: Date().timeIntervalSince1970) ?? Instant(millisecondsSince1970: 0)
    }
}
