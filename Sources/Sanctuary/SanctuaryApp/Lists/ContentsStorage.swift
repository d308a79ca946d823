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

/// Whose contents are: they are kept under the owner's name, and never read for another.
enum ContentsOwner: Sendable {
    case everybody
    /// The user who is signed in; nothing is kept while it gives nil.
    case user(@Sendable () async throws -> String?)
}

/// Keeps what the lists show from one life of the app to the next. What cannot be read is as if it had never been kept.
///
/// A user's lists are that user's: should the disk not let go of them at sign-out, the next user is not shown them.
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
    ///   - owner: whose they are, asked each time.
    ///   - loadable: whose contents are kept: asked for them when it comes to it, so that nothing forgotten is written.
    ///   - adopting: called before it is read; gives what takes it in.
    nonisolated func persistence<Model: KeptModel>(
        _ key: String,
        of owner: ContentsOwner,
        _ loadable: WeakLoadable<[Model]>,
        adopting: @escaping @Sendable () -> @Sendable ([Model]) async throws -> [Model]
    ) -> LoadablePersistence<[Model]> {
        LoadablePersistence(
            restore: {
                let adopt = adopting()
                guard let (models, age) = try await self.read(key, of: owner, as: Model.self) else { return nil }
                return LoadablePersistence.Record(try await adopt(models), age: age)
            },
            save: { _ in await self.save(key, of: owner) { loadable.value?.snapshot } },
            report: report
        )
    }

    func save<Model: KeptModel>(
        _ key: String,
        of owner: ContentsOwner,
        _ snapshot: @escaping @Sendable () -> LoadableSnapshot<[Model]>?
    ) async {
        do {
            try await inTurn { [cache, now] in
                guard let owner = try await owner.name else { return }
                guard let snapshot = snapshot(), let models = snapshot.contents, let age = snapshot.age else { return }
                let loadedAt = now().millisecondsSince1970 - Int64(age / .milliseconds(1))
                let items = models.filter(\.isLasting).map(\.kept)
                let record = Record(owner: owner, loadedAt: loadedAt, items: items)
                try await cache.set([UInt8](JSONEncoder().encode(record)), for: key)
            }
        } catch {
            report(error)
        }
    }

    /// What was kept, however old; nil if nothing was, or it cannot be read.
    func recall<Model: KeptModel>(_ key: String, of owner: ContentsOwner, as type: Model.Type) async -> [Model]? {
        do { return try await read(key, of: owner, as: type)?.0 } catch {
            report(error)
            return nil
        }
    }

    /// - Throws: ``FeatureError`` with `notForgotten`.
    func forget(_ key: String) async throws {
        do {
            try await inTurn { [cache] in try await cache.set(nil, for: key) }
        } catch {
            throw FeatureError(
                .notForgotten,
                "what is kept of whoever was signed in cannot be removed from this device: \(error)",
                subject: key
            )
        }
    }

    /// One write after the other, so that none keeps again what was forgotten meanwhile; it is done even if the caller gives up.
    private func inTurn(_ write: @escaping @Sendable () async throws -> Void) async throws {
        let before = lastWrite
        let task = Task {
            await before?.value
            try await write()
        }
        lastWrite = Task { _ = await task.result }
        try await task.value
    }

    private func read<Model: KeptModel>(
        _ key: String,
        of owner: ContentsOwner,
        as type: Model.Type
    ) async throws -> ([Model], Duration)? {
        guard let owner = try await owner.name, let bytes = try await cache.bytes(for: key) else { return nil }
        let record = try JSONDecoder().decode(Record<Model.Kept>.self, from: Data(bytes))
        guard record.owner ?? "" == owner else { return nil }
        // A clock that was set back says as little as one that went on.
        let age = (now().millisecondsSince1970 - record.loadedAt).magnitude
        return (try record.items.map { try Model($0) }, .milliseconds(Int64(clamping: age)))
    }

    private struct Record<Item: Codable>: Codable {
        /// Empty for everybody's; an earlier version named no owner.
        var owner: String?
        var loadedAt: Int64
        var items: [Item]
    }
}

extension ContentsOwner {
    /// Empty for everybody; nil if no user is signed in.
    fileprivate var name: String? {
        get async throws {
            switch self {
            case .everybody: ""
            case .user(let user): try await user().flatMap { $0.isEmpty ? nil : $0 }
            }
        }
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
