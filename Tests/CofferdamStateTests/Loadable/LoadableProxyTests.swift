import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableProxyTests {
    @Test func `a proxy is idle without a target, and mirrors its target`() {
        let proxy = LoadableProxy<Int>()
        #expect(proxy.loadable.snapshot.state == .idle)
        #expect(proxy.loadable.needsSync)
        let target = LoadableDouble<Int>()
        target.succeed(1)
        proxy.target = target.loadable
        #expect(proxy.loadable.snapshot.contents == 1)
        #expect(proxy.loadable.snapshot.state == .succeeded)
        target.fail(TestError("target"))
        #expect(proxy.loadable.snapshot.state == .failed)
        #expect(proxy.loadable.snapshot.contents == 1)
        let other = LoadableDouble<Int>()
        proxy.target = other.loadable
        #expect(proxy.loadable.snapshot.state == .idle)
        #expect(proxy.loadable.snapshot.contents == nil)
        target.succeed(3)
        #expect(proxy.loadable.snapshot.contents == nil)
        proxy.target = nil
        #expect(proxy.loadable.snapshot.state == .idle)
        #expect(other.observerCount == 0 && target.observerCount == 0)
    }

    @Test func `a fetch without a target waits for it and fetches it if needed`() async throws {
        for isFresh in [true, false] {
            let executor = ManualExecutor()
            let proxy = LoadableProxy<Int>(executor: executor)
            let task = Task { try await proxy.loadable.fetch() }
            await until { executor.count == 1 }
            // From here on, its run waits for a target.
            executor.drain()
            #expect(proxy.loadable.snapshot.state == .syncing)
            let target = LoadableDouble<Int>()
            let isReached = { (condition: () -> Bool) in
                executor.drain()
                return condition()
            }
            if isFresh { target.succeed(1) }
            proxy.target = target.loadable
            if !isFresh {
                await until { isReached { target.waitingRunCount == 1 } }
                target.succeed(1)
            }
            await until { isReached { proxy.loadable.snapshot.state == .succeeded } }
            #expect(try await task.value == 1)
            #expect(target.runCount == (isFresh ? 0 : 1))
        }
    }

    @Test func `a waiting fetch gets the contents of a replaced target`() async throws {
        let (old, new) = (LoadableDouble<Int>(), LoadableDouble<Int>())
        let proxy = LoadableProxy(old.loadable)
        let task = Task { try await proxy.loadable.fetch() }
        await until { old.waitingRunCount == 1 }
        proxy.target = new.loadable
        await until { new.waitingRunCount == 1 }
        await until { old.cancelledRunCount == 1 }
        new.succeed(2)
        #expect(try await task.value == 2)
    }
}
