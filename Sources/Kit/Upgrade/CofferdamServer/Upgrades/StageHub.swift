#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade

/// The current stages, and the subscribers that wait for a new one.
final class StageHub: Sendable {
    /// Who waits for a stage.
    enum Follower: Sendable {
        /// A device that has the current stage, until the next one.
        case poll
        /// A device that gets each stage while it is connected.
        case stream
        /// A page, which is no device.
        case page
    }

    private struct Subscriber {
        var follower: Follower
        var continuation: AsyncStream<ServedStage>.Continuation
    }

    private struct State {
        var stages: [String: ServedStage] = [:]
        /// The last stage that was sent of each capability, as JSON.
        var encoded: [String: (stage: ServedStage, json: [UInt8])] = [:]
        var waiting: [String: [Int: Subscriber]] = [:]
        /// The devices that waited when the stage changed, and the number of the last subscriber when it was sent last.
        var sent: [String: (devices: Int, last: Int)] = [:]
        var count = 0
        var next = 0
        var isClosed = false

        /// The devices that have the current stage. A poll that was sent it has ended for the device, which may be back already.
        func devices(of capability: String) -> Int {
            let last = sent[capability]?.last ?? 0
            return (waiting[capability] ?? [:]).count { id, subscriber in
                subscriber.follower == .stream || subscriber.follower == .poll && id > last
            }
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the maximum number of subscribers.
    init(limit: Int) { self.limit = limit }

    /// The number of subscribers.
    var subscriberCount: Int { state.withLock { $0.count } }

    /// The devices that are connected, and how many of them have the current stage: a poll of a device that waits again
    /// has it.
    ///
    /// - Parameter isRecent: whether devices that were connected when it was sent, and are not yet back, count.
    func connected(of capability: String, isRecent: Bool) -> ConnectedDevices {
        state.withLock { state in
            let have = state.devices(of: capability)
            return ConnectedDevices(have: have, all: max(have, isRecent ? state.sent[capability]?.devices ?? 0 : 0))
        }
    }

    func stage(of capability: String) -> ServedStage? { state.withLock { $0.stages[capability] } }

    /// Returns a stage as JSON, which is encoded once for all its subscribers.
    func json(_ stage: ServedStage) throws -> [UInt8] {
        if let known = state.withLock({ $0.encoded[stage.capability] }), known.stage == stage { return known.json }
        let json = try ServerJSON.bytes(stage)
        state.withLock { $0.encoded[stage.capability] = (stage, json) }
        return json
    }

    /// Sends a new stage to its subscribers. A stage older than the known one is ignored.
    func publish(_ stage: ServedStage) {
        let waiting = state.withLock { state -> [AsyncStream<ServedStage>.Continuation] in
            let known = state.stages[stage.capability]
            guard stage != known, stage.revision >= known?.revision ?? 0 else { return [] }
            state.stages[stage.capability] = stage
            let before = stage.directsAlike(known) ? state.sent[stage.capability]?.devices : nil
            state.sent[stage.capability] = (before ?? state.devices(of: stage.capability), state.next)
            return (state.waiting[stage.capability] ?? [:]).values.map(\.continuation)
        }
        for continuation in waiting { continuation.yield(stage) }
    }

    /// The current stage and each one after it; a slow reader receives only the latest. The stream ends when the
    /// server stops.
    ///
    /// - Returns: nil if there are too many subscribers, or the server stops.
    func stages(of capability: String, for follower: Follower = .poll) -> AsyncStream<ServedStage>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServedStage.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = state.withLock { state -> Int? in
            guard !state.isClosed, state.count < limit, let stage = state.stages[capability] else { return nil }
            state.next += 1
            state.count += 1
            state.waiting[capability, default: [:]][state.next] = Subscriber(
                follower: follower,
                continuation: continuation
            )
            continuation.yield(stage)
            return state.next
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: capability) }
        return stream
    }

    /// Ends all subscriptions and refuses new ones.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting.values.flatMap(\.values)
        }
        for subscriber in waiting { subscriber.continuation.finish() }
    }

    private func remove(_ id: Int, of capability: String) {
        state.withLock { state in
            if state.waiting[capability]?.removeValue(forKey: id) != nil { state.count -= 1 }
        }
    }
}

/// A store that refuses steps up in a freeze window. That of an upgrade without an engine publishes its states, too.
struct HostedStore: UpgradeStore {
    let store: any UpgradeStore
    /// Nil if the upgrade's engine publishes what is in force.
    var hub: StageHub?
    let freezes: FreezeCalendar

    var isLocal: Bool { store.isLocal }
    var wallTime: Int64? { store.wallTime }

    func read(_ capability: String) async throws -> StoredUpgrade? {
        let stored = try await store.read(capability)
        hub?.publish(ServedStage(stored, of: capability))
        return stored
    }

    /// - Throws: `UpgradeRefusal` for a step up in a freeze window.
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        try freezes.check(change)
        let stored = try await store.commit(change)
        if let stored { hub?.publish(ServedStage(stored, of: stored.state.capability)) }
        return stored
    }

    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await store.entry(id, of: capability)
    }

    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await store.history(of: capability, last: count)
    }
}
#endif
