import Cofferdam
import CofferdamState

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Saves the lists of an app between launches, each under its own key of a cache. A list that cannot be read is treated as one
/// that was never saved.
///
/// A list that belongs to a user is saved with the user's id and never restored for another user: if the disk refuses
/// to delete it at sign-out, the next user still does not see it.
public actor ListStorage {
    private let cache: any ModelCache
    private let timeSince1970: @Sendable () -> Duration
    private let report: @Sendable (any Error) -> Void
    private let executor: (any TaskExecutor)?
    private var lastWrite: Task<Void, Never>?

    /// - Parameters:
    ///   - cache: holds the saved lists.
    ///   - timeSince1970: returns the current time; nil for the system's clock.
    ///   - executor: runs the writes.
    ///   - report: called with each error of saving and restoring. Such an error fails nothing else.
    public init(
        _ cache: any ModelCache,
        timeSince1970: (@Sendable () -> Duration)? = nil,
        executor: (any TaskExecutor)? = nil,
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.cache = cache
        self.timeSince1970 = timeSince1970 ?? { .seconds(Date().timeIntervalSince1970) }
        self.report = report
        self.executor = executor
    }

    /// The persistence of a list's loadable.
    ///
    /// - Parameters:
    ///   - loadable: read when a write begins, so that contents that were forgotten meanwhile are not written.
    ///   - adopting: called before the read; returns the closure that adopts the models.
    nonisolated func persistence<Model>(
        of list: ListPersistence<Model>,
        _ loadable: WeakLoadable<[Model]>,
        adopting: @escaping @Sendable () -> @Sendable ([Model]) async throws -> [Model]
    ) -> LoadablePersistence<[Model]> {
        LoadablePersistence(
            restore: {
                let adopt = adopting()
                guard let (models, age) = try await self.read(list) else { return nil }
                return LoadablePersistence.Record(try await adopt(models), age: age)
            },
            save: { _ in await self.save(list) { loadable.value?.snapshot } },
            report: report
        )
    }

    func save<Model>(
        _ list: ListPersistence<Model>,
        _ snapshot: @escaping @Sendable () -> LoadableSnapshot<[Model]>?
    ) async {
        do {
            try await serialized { [cache, timeSince1970] in
                guard let owner = try await list.owner.name else { return }
                // Pending changes are not saved.
                guard let snapshot = snapshot(), let models = snapshot.settledContents, let age = snapshot.age
                else { return }
                let loadedAt = (timeSince1970() - age).inMilliseconds
                try await cache.set(try list.encode(models, owner, loadedAt), for: list.key)
            }
        } catch {
            report(error)
        }
    }

    /// Returns the saved models, however old; nil if there are none or they cannot be read.
    func restore<Model>(_ list: ListPersistence<Model>) async -> [Model]? {
        do { return try await read(list)?.0 } catch {
            report(error)
            return nil
        }
    }

    /// - Throws: ``ListNotDeleted``.
    func delete(_ key: String) async throws {
        do {
            try await serialized { [cache] in try await cache.set(nil, for: key) }
        } catch {
            throw ListNotDeleted(key: key, cause: error)
        }
    }

    /// Runs one write after the other, so that a list that was deleted is not saved again by an earlier write. A write that has
    /// begun ends even if the caller is cancelled.
    private func serialized(_ write: @escaping @Sendable () async throws -> Void) async throws {
        let before = lastWrite
        let task = Task(executorPreference: executor) {
            await before?.value
            try await write()
        }
        lastWrite = Task(executorPreference: executor) { _ = await task.result }
        try await task.value
    }

    private func read<Model>(_ list: ListPersistence<Model>) async throws -> ([Model], Duration)? {
        guard let owner = try await list.owner.name, let bytes = try await cache.bytes(for: list.key) else {
            return nil
        }
        let saved = try list.decode(bytes)
        guard saved.owner ?? "" == owner else { return nil }
        return (saved.items, timeSince1970() - .milliseconds(saved.loadedAt))
    }
}

/// A saved list could not be deleted from the device.
public struct ListNotDeleted: Error, Sendable, CustomStringConvertible {
    /// The list's key.
    public let key: String
    /// The cache's error.
    public let cause: any Error

    /// The key of the list and the cause.
    public var description: String { "the saved list \(key) cannot be deleted: \(cause)" }
}

extension Duration {
    /// At most 2⁶² in both directions, because a saved age may be anything.
    fileprivate var inMilliseconds: Int64 { Int64(max(-0x1p62, min(0x1p62, self / .milliseconds(1)))) }
}

/// Refers to a loadable that is created after the closures that use it.
final class WeakLoadable<Contents: Sendable>: Sendable {
    private struct Reference: Sendable { weak var loadable: Loadable<Contents>? }
    private let reference = Mutex(Reference())

    var value: Loadable<Contents>? {
        get { reference.withLock { $0.loadable } }
        set { reference.withLock { $0.loadable = newValue } }
    }
}
