import Cofferdam
import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks that a shared task's priority is raised to that of the callers waiting for it.
@Suite struct PriorityEscalationTests {
    enum Work: CaseIterable, Sendable {
        case delayed, credential, abandonable

        /// Returns a waiting caller; all callers from one call wait for the same work.
        func waiting(for probe: PriorityProbe) -> @Sendable () async -> Void {
            switch self {
            case .delayed:
                let provider = DelayedProvider<Void>(executor: probe.executor) { _ in await probe.work() }
                return { try? await provider.value() }
            case .credential:
                let source = CredentialSource(
                    "old",
                    refresh: { _ in
                        await probe.work()
                        return "new"
                    },
                    revokes: { _ in false },
                    missing: { TestError("missing") },
                    executor: probe.executor
                )
                return {
                    try? await source.use(isExpired: { _ in true }) { if $0 == "old" { throw TestError("expired") } }
                }
            case .abandonable:
                return {
                    try? await abandoning(after: .seconds(1), on: TestClock(), executor: probe.executor) {
                        await probe.work()
                    }
                }
            }
        }
    }

    @Test(arguments: [Work.delayed, .credential])
    func `an urgent caller raises the priority of work that a background task began`(work: Work) async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let waiting = work.waiting(for: probe)
            probe.begin(.background, waiting)
            probe.begin(.high, waiting)
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }

    @Test(arguments: Work.allCases)
    func `raising a waiting caller's priority raises the work's`(work: Work) async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            probe.begin(.background, work.waiting(for: probe)).raise(to: .high)
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }

    @Test func `an urgent caller raises the priority of a transfer that was started early`() async {
        let ended = await onOwnThread {
            let probe = PriorityProbe()
            let provider = DelayedProvider<Void>(executor: probe.executor) { _ in await probe.work() }
            probe.begin(.background) { provider.start() }
            probe.begin(.high) { try? await provider.value() }
            probe.end()
            return probe.ended
        }
        #expect(ended == [.high])
    }
}
