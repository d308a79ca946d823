import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableDerivedTests {
    @Test func `map follows its origin at once: contents, state, error, writes and reset`() async {
        let origin = LoadableDouble<Int>()
        let mapped = origin.loadable.map { "\($0)" }
        #expect(mapped.snapshot.state == .idle)
        origin.setSyncing()
        #expect(mapped.snapshot.state == .syncing)
        origin.succeed(1)
        #expect(mapped.snapshot.contents == "1")
        #expect(mapped.snapshot.state == .succeeded)
        origin.loadable.set(2)
        #expect(mapped.snapshot.contents == "2")
        origin.fail(TestError("lost"))
        #expect(mapped.snapshot.contents == "2")
        #expect(mapped.snapshot.error as? TestError == TestError("lost"))
        origin.setIdle()
        #expect(mapped.snapshot.contents == nil)
        #expect(mapped.snapshot.state == .idle)
    }

    @Test func `map transforms existing contents at once`() {
        #expect(Loadable.just(1).map { $0 + 1 }.snapshot.contents == 2)
        #expect(Loadable(1) { 2 }.map { $0 + 1 }.snapshot.contents == 2)
        #expect(Loadable<Int>.fail(TestError("a")).map { $0 + 1 }.snapshot.error as? TestError == TestError("a"))
        #expect(
            Loadable.just(1).map { _ -> Int in throw TestError("b") }.snapshot.error as? TestError == TestError("b")
        )
    }

    @Test func `a transform that throws fails the derived loadable and resumes all callers`() async {
        let origin = LoadableDouble<Int>()
        let derived: [Loadable<Int>] = [
            origin.loadable.map { _ in throw TestError("transform") },
            origin.loadable.asyncMap { _ in throw TestError("transform") },
            origin.loadable.flatMap { _ in throw TestError("transform") },
        ]
        for (index, derived) in derived.enumerated() {
            let fetched = Task { try await derived.fetch() }
            await until { origin.waitingRunCount == 1 }
            origin.succeed(index)
            await #expect(throws: TestError("transform")) { try await fetched.value }
            #expect(derived.snapshot.state == .failed)
            #expect(origin.loadable.snapshot.state == .succeeded)
        }
    }

    @Test(arguments: [Kind.asyncMap, .flatMap, .joined])
    func `a failure of the origin leaves a pending change pending`(kind: Kind) async throws {
        let origin = LoadableDouble<Int>()
        let derived = derived(kind, of: origin.loadable)
        let fetched = Task { try await derived.fetch() }
        await until { origin.waitingRunCount == 1 }
        origin.succeed(1)
        #expect(try await fetched.value == 10)
        let write = derived.writeOptimistically { ($0 ?? 0) + 1 }
        #expect(derived.snapshot.contents == 11)
        origin.fail(TestError("lost"))
        #expect(derived.snapshot.state == .failed)
        #expect(derived.snapshot.contents == 11)
        write.rollBack()
        #expect(derived.snapshot.contents == 10)
    }

    enum Kind: CaseIterable { case map, asyncMap, flatMap, joined }

    private func derived(_ kind: Kind, of origin: Loadable<Int>, _ runs: Log<Int> = Log()) -> Loadable<Int> {
        switch kind {
        case .map: origin.map { $0 * 10 }
        case .asyncMap:
            origin.asyncMap { contents in
                runs.add(contents)
                return contents * 10
            }
        case .flatMap: origin.flatMap { contents in Loadable { contents * 10 } }
        case .joined: origin.joined { contents in Loadable { contents * 9 } }.map { $0 + $1 }
        }
    }

    @Test(arguments: Kind.allCases)
    func `fetchIfNeeded and syncIfNeeded on a derived loadable never reload a fresh origin`(kind: Kind) async throws {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        let derived = derived(kind, of: origin.loadable)
        #expect(try await derived.fetchIfNeeded() == 10)
        await derived.syncIfNeeded()
        #expect(try await derived.fetchIfNeeded() == 10)
        #expect(origin.runCount == 0)
        #expect(!derived.needsSync)
    }

    @Test(arguments: Kind.allCases)
    func `fetch on a derived loadable fetches its origin, and joins its run`(kind: Kind) async throws {
        let origin = LoadableDouble<Int>()
        let derived = derived(kind, of: origin.loadable)
        async let first = origin.loadable.fetch()
        await until { origin.waitingRunCount == 1 }
        async let second = derived.fetch()
        await until { origin.callerCount == 2 }
        origin.succeed(1)
        #expect(try await first == 1)
        #expect(try await second == 10)
        #expect(origin.runCount == 1)
        #expect(derived.snapshot.contents == 10)
        async let third = derived.fetch()
        await until { origin.waitingRunCount == 1 }
        origin.succeed(2)
        #expect(try await third == 20)
        #expect(derived.snapshot.state == .succeeded)
        #expect(!derived.needsSync)
    }

    @Test(arguments: Kind.allCases)
    func `a derived loadable shows that its origin is syncing, and takes over its failure`(kind: Kind) async {
        let origin = LoadableDouble<Int>()
        let derived = derived(kind, of: origin.loadable)
        let task = Task { try await origin.loadable.fetch() }
        await until { origin.waitingRunCount == 1 && derived.snapshot.state == .syncing }
        origin.fail(TestError("origin"))
        _ = await task.result
        await until { derived.snapshot.state == .failed }
        #expect(derived.snapshot.error as? TestError == TestError("origin"))
        #expect(derived.needsSync)
    }

    @Test(arguments: Kind.allCases)
    func `when its origin changes, a derived loadable is stale until it is fetched`(kind: Kind) async throws {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        let derived = derived(kind, of: origin.loadable)
        #expect(try await derived.fetchIfNeeded() == 10)
        origin.loadable.set(2)
        if kind == .asyncMap || kind == .flatMap {
            #expect(derived.needsSync)
            #expect(derived.snapshot.contents == 10)
            #expect(derived.snapshot.isInvalidated)
        }
        #expect(try await derived.fetchIfNeeded() == 20)
        #expect(!derived.needsSync)
        #expect(!derived.snapshot.isInvalidated)
        #expect(origin.runCount == 0)
    }

    @Test(arguments: Kind.allCases)
    func `a derived loadable that is kept in sync gets each change of its origin`(kind: Kind) async {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        let derived = derived(kind, of: origin.loadable)
        let token = derived.activate()
        await until { derived.snapshot.contents == 10 }
        for value in 2..<10 {
            origin.loadable.set(value)
            await until { derived.snapshot.contents == value * 10 }
        }
        #expect(origin.runCount == 0)
        token.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `a derived loadable that is kept in sync does not retry a failing origin endlessly`(kind: Kind) async {
        let origin = LoadableDouble<Int>()
        let derived = derived(kind, of: origin.loadable)
        let token = derived.activate()
        await until { origin.waitingRunCount == 1 }
        origin.fail(TestError("origin"))
        await until { derived.snapshot.state == .failed }
        for _ in 0..<1000 { await Task.yield() }
        #expect(origin.runCount == 1)
        origin.succeed(1)
        await until { derived.snapshot.contents == 10 }
        token.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `the last caller to leave a derived loadable cancels its origin's run, unless that has others`(kind: Kind)
        async
    {
        let origin = LoadableDouble<Int>()
        let derived = derived(kind, of: origin.loadable)
        let task = Task { try await derived.fetch() }
        await until { origin.waitingRunCount == 1 }
        let other = Task { try await origin.loadable.fetch() }
        await until { origin.callerCount == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await until { origin.callerCount == 1 }
        #expect(origin.cancelledRunCount == 0)
        other.cancel()
        _ = await other.result
        await until { origin.cancelledRunCount == 1 }
        #expect(derived.snapshot.state == .idle)
    }

    @Test(arguments: Kind.allCases)
    func `a derived loadable is released with its last reference, and its origin keeps nothing of it`(kind: Kind)
        async throws
    {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        weak var released: Loadable<Int>?
        do {
            let derived = derived(kind, of: origin.loadable)
            _ = try await derived.fetchIfNeeded()
            released = derived
        }
        await until { released == nil }
        await until { origin.observerCount == 0 }
    }

    @Test func `flatMap keeps its inner loadable until its origin's contents change, and follows its writes`()
        async throws
    {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        let inner = LoadableDouble<String>()
        let made = Log<Int>()
        let derived = origin.loadable.flatMap { contents in
            made.add(contents)
            return inner.loadable
        }
        inner.succeed("a")
        #expect(try await derived.fetchIfNeeded() == "a")
        inner.loadable.set("b")
        #expect(derived.snapshot.contents == "b")
        #expect(try await derived.fetchIfNeeded() == "b")
        #expect(made.entries == [1])
        #expect(inner.runCount == 0)
        let fetched = Task { try await derived.fetch() }
        await until { origin.waitingRunCount == 1 }
        origin.succeed(2)
        await until { inner.waitingRunCount == 1 }
        inner.fail(TestError("inner"))
        await #expect(throws: TestError("inner")) { try await fetched.value }
        #expect(made.entries == [1, 2])
        #expect(derived.snapshot.contents == "b")
    }

    @Test func `flatMap shows that its inner loadable syncs and fails, even if others sync it`() async throws {
        let origin = LoadableDouble<Int>()
        origin.succeed(1)
        let inner = LoadableDouble<String>()
        inner.succeed("a")
        let derived = origin.loadable.flatMap { _ in inner.loadable }
        #expect(try await derived.fetchIfNeeded() == "a")
        let failing = Task { try await inner.loadable.fetch() }
        await until { derived.snapshot.state == .syncing && inner.waitingRunCount == 1 }
        #expect(derived.snapshot.contents == "a")
        inner.fail(TestError("inner"))
        _ = await failing.result
        await until { derived.snapshot.state == .failed }
        #expect(derived.snapshot.error as? TestError == TestError("inner"))
        #expect(derived.snapshot.contents == "a")
        #expect(derived.needsSync)
        let succeeding = Task { try await inner.loadable.fetch() }
        await until { derived.snapshot.state == .syncing && inner.waitingRunCount == 1 }
        #expect(derived.snapshot.error as? TestError == TestError("inner"))
        inner.succeed("b")
        _ = await succeeding.result
        await until { derived.snapshot.state == .succeeded }
        #expect(derived.snapshot.contents == "b")
        #expect(derived.snapshot.error == nil)
        #expect(!derived.needsSync)
        #expect(origin.runCount == 0)
    }

    @Test func `when the contents lead to another loadable, flatMap stops following the previous one`() async throws {
        let origin = LoadableDouble<Int>()
        origin.succeed(0)
        let inners = [LoadableDouble<String>(), LoadableDouble<String>()]
        inners[0].succeed("a")
        inners[1].succeed("b")
        let derived = origin.loadable.flatMap { inners[$0].loadable }
        #expect(try await derived.fetchIfNeeded() == "a")
        let syncing = Task { try await inners[0].loadable.fetch() }
        await until { derived.snapshot.state == .syncing && inners[0].waitingRunCount == 1 }
        origin.loadable.set(1)
        #expect(try await derived.fetchIfNeeded() == "b")
        #expect(derived.snapshot.state == .succeeded)
        inners[0].fail(TestError("before"))
        _ = await syncing.result
        #expect(derived.snapshot.state == .succeeded)
        #expect(derived.snapshot.contents == "b")
    }

    enum Origin: CaseIterable { case map, proxy, all, any, settled, restored }

    @Test(arguments: Origin.allCases, Kind.allCases)
    func `a loadable derived from one that mirrors others shows what it fetched`(origin: Origin, kind: Kind)
        async throws
    {
        let double = LoadableDouble<Int>()
        let proxy = LoadableProxy(double.loadable)
        let shown: Loadable<Int> =
            switch origin {
            case .map: double.loadable.map { $0 }
            case .proxy: proxy.loadable
            case .all: LoadableGroup.all([double.loadable]).map { double.loadable.snapshot.contents ?? 0 }
            case .any: LoadableGroup.any([double.loadable]).map { double.loadable.snapshot.contents ?? 0 }
            case .settled:
                LoadableGroup.group([double.loadable], .settled).map { double.loadable.snapshot.contents ?? 0 }
            case .restored:
                Loadable(
                    freshness: .always,
                    persistence: LoadablePersistence {
                        LoadablePersistence<Int>.Record(try await double.loadable.fetch(), age: .zero)
                    } save: { _ in
                    } report: { _ in
                    }
                ) { 0 }
            }
        let derived = derived(kind, of: shown)
        for value in origin == .restored ? 1...1 : 1...3 {
            let task = Task { try await value == 1 ? derived.fetchIfNeeded() : derived.fetch() }
            await until { double.waitingRunCount == 1 }
            double.succeed(value)
            #expect(try await task.value == value * 10)
            #expect(derived.snapshot.contents == value * 10)
            #expect(derived.snapshot.state == .succeeded)
            #expect(!derived.needsSync)
        }
        withExtendedLifetime(proxy) {}
    }

    @Test func `flatMap shows what it fetched from an inner loadable that mirrors another`() async throws {
        let inner = LoadableDouble<Int>()
        let derived = Loadable.just(1).flatMap { _ in inner.loadable.map { $0 * 10 } }
        let task = Task { try await derived.fetch() }
        await until { inner.waitingRunCount == 1 }
        inner.succeed(1)
        #expect(try await task.value == 10)
        #expect(derived.snapshot.contents == 10)
    }

    @Test func `a result that a local write has overtaken does not show in a loadable derived twice either`()
        async throws
    {
        let origin = LoadableDouble<Int>()
        let derived = origin.loadable.map { $0 }.asyncMap { $0 * 10 }
        let task = Task { try await derived.fetch() }
        await until { origin.waitingRunCount == 1 }
        origin.loadable.set(5)
        origin.succeed(1)
        #expect(try await task.value == 10)
        #expect(derived.snapshot.contents == nil)
        #expect(derived.needsSync)
    }

    @Test func `just, fail and never`() async {
        let just = Loadable.just(1)
        #expect(just.snapshot.state == .succeeded)
        #expect(!just.needsSync)
        await #expect(throws: Never.self) { try await just.fetch() }
        let fail = Loadable<Int>.fail(TestError("always"))
        #expect(fail.snapshot.state == .failed)
        await #expect(throws: TestError("always")) { try await fail.fetch() }
        let never = Loadable<Int>.never()
        let task = Task { try await never.fetch() }
        await until { never.snapshot.state == .syncing }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(never.snapshot.state == .idle)
    }
}
