import Cofferdam
import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct OptimisticLifetimeTests {
    private final class Captured: Sendable {
        let loadable: Loadable<Int>
        let log: Log<Int>
        init(_ loadable: Loadable<Int>, _ log: Log<Int>) { (self.loadable, self.log) = (loadable, log) }

        deinit {
            loadable.correct { $0 + 100 }
            log.add(1)
        }
    }

    /// With the lock held, the change in the deinitialiser would wait for itself.
    @Test(.timeLimit(.minutes(1)), arguments: ["refused", "confirmed", "known", "reset"])
    func `what a write captures is freed without the lock`(end: String) async {
        let log = Log<Int>()
        await onOwnThread {
            let loadable = Loadable.just(1)
            let write = { (captured: Captured) in
                loadable.writeOptimistically { [captured] value in withExtendedLifetime(captured) { (value ?? 0) | 2 } }
            }(Captured(loadable, log))
            #expect(log.entries.isEmpty)
            switch end {
            case "refused": write.rollBack()
            case "confirmed":
                write.confirm()
                loadable.push(.success(4))
            case "known": loadable.confirm(write) { _ in 5 }
            default: loadable.reset()
            }
            #expect(log.entries == [1])
        }
    }
}
