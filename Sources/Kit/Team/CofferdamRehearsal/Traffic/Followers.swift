import Cofferdam
import CofferdamUpgrade

/// The users who follow a feed during the visits of others: a few at a time, each for one to five stages, so that their
/// streams are open while their units change sides.
final class Followers<Services: Sendable>: Sendable {
    private struct Follower {
        let unit: String
        let session: UnitSession
        /// The stream's number in the ledger.
        let stream: Int
        let task: Task<Void, Never>
        /// The epoch from which on it makes room for another follower.
        let leaves: Int
    }

    let feed: TrafficFeed<Services>
    let ledger: StreamLedger
    private let upgrade: RehearsedUpgrade<Services>
    private let router: RehearsedRouter<Services>
    private let control: StageControl
    private let settings: RouteSettings
    private let bucketing: Bucketing
    private let process: RehearsedProcess
    private let capacity: Int
    private let state = Mutex<[Follower]>([])

    /// - Parameters:
    ///   - settings: their clock paces the streams: how long a handover may take, and the pause after it.
    ///   - capacity: the maximum number of followers at a time.
    ///   - now: the time since the rehearsal began.
    init(
        _ feed: TrafficFeed<Services>,
        _ upgrade: RehearsedUpgrade<Services>,
        _ router: RehearsedRouter<Services>,
        _ control: StageControl,
        _ settings: RouteSettings,
        _ bucketing: Bucketing,
        _ process: RehearsedProcess,
        capacity: Int,
        now: @escaping @Sendable () -> Duration
    ) {
        self.feed = feed
        ledger = StreamLedger(now: now)
        self.upgrade = upgrade
        self.router = router
        self.control = control
        self.settings = settings
        self.bucketing = bucketing
        self.process = process
        self.capacity = capacity
    }

    /// Lets the visit's unit follow if there is room, or if another unit makes room.
    ///
    /// - Throws: what opening the side throws; `CancellationError`.
    func join(_ visit: Visit) async throws {
        let epoch = control.state.epoch
        let leaving = state.withLock { followers -> Follower? in
            guard followers.count >= capacity else { return nil }
            return followers.firstIndex { $0.leaves <= epoch }.map { followers.remove(at: $0) }
        }
        if let leaving { leave(leaving, .left) }
        guard state.withLock({ $0.count < capacity }) else { return }
        let stages = visit.choice(from: 1...5)
        try await follow(visit.unit, leavesAt: epoch + stages)
    }

    /// Moves followers to the side on which they belong, and lets those whose stream has ended follow again.
    ///
    /// - Throws: what opening the side throws; `CancellationError`.
    func moveToTheirSides() async throws {
        let (staying, ended) = state.withLock { followers in
            let parts = (
                followers.filter { ledger.isFollowed($0.stream) }, followers.filter { !ledger.isFollowed($0.stream) }
            )
            followers = parts.0
            return parts
        }
        for follower in staying { follower.session.cutOver() }
        for follower in ended { try await follow(follower.unit, leavesAt: follower.leaves) }
    }

    /// Records that the app has crashed, and all streams with it.
    func appEnded() {
        let end = FollowedStream.End.broken(at: control.state.stage(), why: "\(AppEnded())")
        for follower in state.withLock({ $0 }) { leave(follower, end) }
    }

    /// Ends all streams, because the app is closed in order.
    func appCloses() {
        let followers = state.withLock { followers in
            defer { followers = [] }
            return followers
        }
        for follower in followers { leave(follower, .left) }
    }

    /// Ends all streams. What they delivered until then is judged as if they were still open.
    func close() {
        for follower in state.withLock({ $0 }) { follower.task.cancel() }
    }

    /// Returns the followers' losses. Asks the service for all published items.
    ///
    /// - Parameters:
    ///   - published: the time during which each key was being written.
    ///   - delay: how long an item may take to arrive.
    func losses(
        published: [String: ClosedRange<Duration>],
        delay: Duration
    ) async throws -> [(kind: Loss.Kind, what: String)] {
        let record = FeedRecord(try await feed.record(), published: published, delay: delay)
        return ledger.losses(by: record).map { ($0.kind, "\(feed.name): \($0.what)") }
    }

    private func leave(_ follower: Follower, _ end: FollowedStream.End) {
        ledger.ended(follower.stream, end)
        follower.task.cancel()
    }

    private func follow(_ unit: String, leavesAt epoch: Int) async throws {
        let session = UnitSession(unit: unit, control: control, bucketing: bucketing)
        // A stream can subscribe immediately if its side is open.
        let router = router.current
        try await router.open(for: session)
        let stream = ledger.begin(unit)
        var settings = settings
        settings.calls = process.calls
        let follow = feed.subscribe(upgrade.routed(router, session, settings))
        let task = Task(executorPreference: settings.executor) { [ledger, control] in
            let why: String
            do {
                try await follow { ledger.received($0, by: stream) }
                why = "it ended"
            } catch {
                why = "\(error)"
            }
            if !Task.isCancelled { ledger.ended(stream, .broken(at: control.state.stage(), why: why)) }
        }
        let follower = Follower(unit: unit, session: session, stream: stream, task: task, leaves: epoch)
        state.withLock { $0.append(follower) }
    }
}
