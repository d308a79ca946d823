#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

@testable import MenagerieV1Adapter

/// The SDK used naively: a list that was fetched once is treated as live, a command's answer is ignored, a search is
/// cancelled through its request, and a name cannot be removed.
final class NaiveV1Accessories: Accessories {
    private struct State {
        var fetched: [Accessory]?
        var searches: [UUID: CheckedContinuation<[Accessory], any Error>] = [:]
    }

    private let state = Mutex(State())

    func accessories() async throws -> [Accessory] {
        if let fetched = state.withLock({ $0.fetched }) { return fetched }
        let fetched: [Accessory] = try await withCheckedThrowingContinuation { continuation in
            _ = Menagerie.shared.accessoryCentral.fetchAccessories { @Sendable accessories, error in
                continuation.resume(with: Self.read(accessories, error))
            }
        }
        state.withLock { $0.fetched = fetched }
        return fetched
    }

    func scan() async throws -> [Accessory] {
        let id = UUID()
        let request = Mutex<Request?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.searches[id] = continuation }
                let started = Menagerie.shared.accessoryCentral.scan { @Sendable [self] accessories, error in
                    let result = Self.read(accessories, error)
                    state.withLock { $0.searches.removeValue(forKey: id) }?.resume(with: result)
                }
                request.withLock { $0 = Request(started) }
            }
        } onCancel: {
            request.withLock { $0 }?.request.cancel()
        }
    }

    /// Ends searches that would wait forever.
    ///
    /// - Returns: the number of searches.
    func abandonSearches() -> Int {
        let waiting = state.withLock { state in
            defer { state.searches = [:] }
            return Array(state.searches.values)
        }
        for search in waiting { search.resume(throwing: CancellationError()) }
        return waiting.count
    }

    func perform(_ command: AccessoryCommand, on id: AccessoryID) async throws {
        _ = Menagerie.shared.accessoryCentral.send(command.rawValue, to: id.rawValue) { @Sendable _ in }
    }

    func nicknames() async throws -> [AccessoryID: String] {
        try await withCheckedThrowingContinuation { continuation in
            _ = Menagerie.shared.accessoryCentral.fetchAccessories { @Sendable accessories, error in
                let names = (accessories ?? []).compactMap { accessory in
                    accessory.nickname.map { (AccessoryID(accessory.id), $0) }
                }
                continuation.resume(
                    with: error.map { .failure($0) } ?? .success(Dictionary(uniqueKeysWithValues: names))
                )
            }
        }
    }

    func setNickname(_ nickname: String?, of id: AccessoryID) async throws {
        guard let nickname else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = Menagerie.shared.accessoryCentral.setNickname(nickname, for: id.rawValue) { @Sendable _ in
                continuation.resume()
            }
        }
    }

    func activate(_ id: AccessoryID) async throws {}

    func release(_ id: AccessoryID) async throws {}

    func events() -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
        AsyncThrowingStream { $0.finish() }
    }

    private static func read(_ accessories: [MenagerieAccessory]?, _ error: NSError?) -> Result<[Accessory], any Error>
    {
        if let error { return .failure(error) }
        return Result {
            try (accessories ?? []).map { source in
                var report = TranslationReport()
                return try Translator<MenagerieAccessory, Accessory>.accessory.translate(source, into: &report)
            }
        }
    }

    /// Proof: the SDK says that its requests may be cancelled from any thread, and nothing else is done with it.
    private struct Request: @unchecked Sendable {
        let request: MenagerieRequest

        init(_ request: MenagerieRequest) { self.request = request }
    }
}
#endif
