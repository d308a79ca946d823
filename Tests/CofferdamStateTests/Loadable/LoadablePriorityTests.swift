import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks that an urgent caller does not wait for a run at background priority.
@Suite struct LoadablePriorityTests {
    /// The ways to share the work of a loadable.
    enum Sharing: CaseIterable, Sendable { case itself, map, asyncMap, flatMap, joined, all, any, chain, proxy, pages }

    private static func loadable(_ probe: PriorityProbe) -> Loadable<Int> {
        Loadable(executor: probe.executor) {
            await probe.work()
            return 1
        }
    }

    private static func member(
        _ sharing: Sharing,
        of loadable: Loadable<Int>,
        _ executor: ManualExecutor
    ) -> any LoadableMember {
        let other = Loadable(executor: executor) { 0 }
        return switch sharing {
        case .itself: loadable
        case .map: loadable.map { $0 }
        case .asyncMap: loadable.asyncMap { $0 }
        case .flatMap: other.flatMap { _ in loadable }
        case .joined: loadable.joined { _ in other }
        case .all: LoadableGroup.all([loadable], executor: executor)
        case .any: LoadableGroup.any([other, loadable], executor: executor)
        case .chain: LoadableGroup.chain([LoadableStep(loadable)], executor: executor)
        case .proxy: LoadableProxy(loadable, executor: executor).loadable
        case .pages:
            PaginatedLoadable<Int, Int>(startingAt: 0, executor: executor, cursor: { $1.cursor + 1 }) { _ in
                try await loadable.fetch()
            }.next
        }
    }

    @Test(arguments: Sharing.allCases)
    func `an urgent caller that joins a run raises its priority`(sharing: Sharing) async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let origin = Self.loadable(probe)
            let member = Self.member(sharing, of: origin, probe.executor)
            probe.begin(.background) { await origin.sync() }
            probe.begin(.high) { await member.sync() }
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }

    @Test(arguments: Sharing.allCases)
    func `raising a waiting caller's priority raises the run's`(sharing: Sharing) async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let member = Self.member(sharing, of: Self.loadable(probe), probe.executor)
            let caller = probe.begin(.background) { await member.sync() }
            caller.raise(to: .high)
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }

    @Test func `a run that a background task restarts keeps the priority of urgent callers`() async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let loadable = Self.loadable(probe)
            probe.begin(.high) { await loadable.sync() }
            probe.begin(.background) { _ = try? await loadable.refetch() }
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high, .high])
    }

    @Test func `a less urgent caller does not lower the priority`() async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let loadable = Self.loadable(probe)
            probe.begin(.high) { await loadable.sync() }
            probe.begin(.background) { await loadable.sync() }
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }
}
