public import Cofferdam  // listeners' tokens

/// Several loadables as one.
public enum LoadableGroup {
    /// How the members' states determine the group's.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Failed if any failed, else syncing if any is, else succeeded if all have, else idle. Has contents if all have.
        case all
        /// Syncing if any is, else succeeded if any has, else failed if all have, else idle. Has contents if any has.
        case any
        /// Syncing if any is, succeeded once all have succeeded or failed, else idle; never failed. Has contents if all have.
        case settled
    }

    /// A group of the mode ``Mode/all``; syncing it syncs all members concurrently.
    public static func all(
        _ members: [any LoadableMember],
        executor: (any TaskExecutor)? = nil
    ) -> Loadable<Void> { group(members, .all, executor: executor) }

    /// A group of the mode ``Mode/any``; syncing it syncs all members concurrently.
    public static func any(
        _ members: [any LoadableMember],
        executor: (any TaskExecutor)? = nil
    ) -> Loadable<Void> { group(members, .any, executor: executor) }

    /// - Parameter members: without any the group is idle, has no contents, and fetching it fails.
    public static func group(
        _ members: [any LoadableMember],
        _ mode: Mode,
        executor: (any TaskExecutor)? = nil
    ) -> Loadable<Void> {
        let follower = GroupFollower(members, mode)
        let group = Loadable<Void>(
            timekeeper: Timekeeper(ContinuousClock()),
            executor: executor,
            loading: Loadable.Loading(load: follower.load) { members.compactMap(\.timeUntilStale).min() }
        )
        follower.start(group)
        return group
    }
}

extension LoadableGroup.Mode {
    /// The group's state and error belong together: both are made from the same members' statuses at one moment.
    ///
    /// - Returns: the group's status; if it failed, with the error of the first member that failed.
    package func combine(_ statuses: [LoadableStatus]) -> LoadableStatus {
        let states = statuses.map(\.state)
        let isEmpty = statuses.isEmpty
        let state: LoadState
        let hasContents: Bool
        switch self {
        case .all:
            hasContents = !isEmpty && statuses.allSatisfy(\.hasContents)
            state =
                if states.contains(.failed) { .failed } else if states.contains(.syncing) {
                    .syncing
                } else if !isEmpty, states.allSatisfy({ $0 == .succeeded }) { .succeeded } else { .idle }
        case .any:
            hasContents = statuses.contains(where: \.hasContents)
            state =
                if states.contains(.syncing) { .syncing } else if states.contains(.succeeded) {
                    .succeeded
                } else if !isEmpty, states.allSatisfy({ $0 == .failed }) { .failed } else { .idle }
        case .settled:
            hasContents = !isEmpty && statuses.allSatisfy(\.hasContents)
            state =
                if states.contains(.syncing) { .syncing } else if !isEmpty, !states.contains(.idle) { .succeeded } else
                { .idle }
        }
        let error = state == .failed ? statuses.first { $0.state == .failed }?.error : nil
        return LoadableStatus(state: state, hasContents: hasContents, error: error)
    }
}

/// Updates a group at every change of a member.
private final class GroupFollower: Sendable {
    private struct State {
        weak var group: Loadable<Void>?
        var tokens: [ListenerToken] = []
        var revision = 0
        var last: LoadableStatus?
        /// The member whose error the group shows, and its generation.
        var failed: Failure?
    }

    private struct Failure: Equatable {
        var member: Int
        var generation: Int
    }

    private let state = Mutex(State())
    private let members: [any LoadableMember]
    private let mode: LoadableGroup.Mode

    init(_ members: [any LoadableMember], _ mode: LoadableGroup.Mode) {
        self.members = members
        self.mode = mode
    }

    func start(_ group: Loadable<Void>) {
        state.withLock { $0.group = group }
        let tokens = members.map { $0.listenToStatus { [weak self] in self?.follow() } }
        state.withLock { $0.tokens = tokens }
    }

    func load(_ mode: LoadMode) async -> LoadResult<Void> {
        await withTaskGroup(of: Void.self) { group in
            for member in members {
                group.addTask { if case .ifNeeded = mode { await member.syncIfNeeded() } else { await member.sync() } }
            }
        }
        follow()
        return LoadResult(result: result, commits: false)
    }

    private var result: Result<ContentsBox<Void>, any Error> {
        let status = self.mode.combine(members.map(\.status))
        if Task.isCancelled { return .failure(CancellationError()) }
        if let error = status.error { return .failure(error) }
        // The contents that are shown, so that they are recognised.
        if status.hasContents { return .success(state.withLock { $0.group }?.snapshot.box ?? ContentsBox(())) }
        return .failure(LoadableError(.notLoadable, "the group's members have no contents"))
    }

    private func follow() {
        let followed = state.withLock { state -> (Loadable<Void>, FollowedState)? in
            guard let group = state.group else { return nil }
            let statuses = members.map(\.status)
            let status = mode.combine(statuses)
            let failed = statuses.firstIndex { $0.state == .failed }
                .map { Failure(member: $0, generation: statuses[$0].generation) }
            // Once it has succeeded, every change of a member may be one of its contents.
            if let last = state.last, last.state == status.state, last.hasContents == status.hasContents,
                status.state != .succeeded, status.state != .failed || failed == state.failed
            {
                return nil
            }
            (state.last, state.failed) = (status, failed)
            state.revision += 1
            let version = UpstreamVersion(origin: state.revision)
            let box = status.hasContents ? ContentsBox(()) : nil
            return (
                group,
                FollowedState(
                    revision: version,
                    version: version,
                    isSyncing: status.state == .syncing,
                    loadResult: .settled(status.state, box, status.error, age: nil)
                )
            )
        }
        if let (group, followed) = followed { group.follow(followed) }
    }
}

/// What groups and chains need of a loadable, whatever it loads.
public protocol LoadableMember: Sendable {
    /// The current state, without the contents.
    var status: LoadableStatus { get }
    /// Whether ``syncIfNeeded()`` would start a run; false during one.
    var needsSync: Bool { get }
    /// The time until ``needsSync`` becomes true: zero if it is, nil if time alone does not make it true or if it is
    /// unknown.
    var timeUntilStale: Duration? { get }
    /// Returns when the run is over or this task is cancelled. Does nothing if nothing can be fetched.
    func sync() async
    /// Calls ``sync()`` if ``needsSync`` or during a run.
    func syncIfNeeded() async
    /// Calls `body` now and at every change, while the token is held.
    func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken
}

extension LoadableMember {
    /// Zero if it needs a sync, otherwise nil.
    public var timeUntilStale: Duration? { needsSync ? .zero : nil }
}

extension Loadable: LoadableMember {
    /// The state of the current snapshot, without its contents.
    public var status: LoadableStatus { snapshot.status }

    /// Calls `body` now and at every change of the loadable, while the token is held.
    public func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken {
        snapshots.listen { _ in body() }
    }
}

extension ReadOnlyLoadable: LoadableMember {
    /// The base's status.
    public var status: LoadableStatus { base.status }
    /// Always false: there is nothing to fetch.
    public var needsSync: Bool { false }
    /// Does nothing: there is nothing to fetch.
    public func sync() async {}
    /// Does nothing: there is nothing to fetch.
    public func syncIfNeeded() async {}

    /// Calls `body` now and at every change of the base, while the token is held.
    public func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken { base.listenToStatus(body) }
}
