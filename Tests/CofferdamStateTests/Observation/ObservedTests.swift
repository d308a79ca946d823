import Cofferdam
@testable import CofferdamState
import Observation
import Testing
import TestSupport

@MainActor
@Suite(.timeLimit(.minutes(5))) struct ObservedTests {
    /// Draws a value, and again whenever Observation says so, as a screen does.
    @MainActor final class Screen<Value> {
        private(set) var drawings: [Value] = []
        var drawn: Value? { drawings.last }
        private let read: () -> Value
        private let whileDrawing: () -> Void

        init(_ read: @escaping () -> Value, whileDrawing: @escaping () -> Void = {}) {
            self.read = read
            self.whileDrawing = whileDrawing
            draw()
        }

        private func draw() {
            withObservationTracking {
                drawings.append(read())
                whileDrawing()
            } onChange: { [weak self] in
                Task { @MainActor in self?.draw() }
            }
        }
    }

    @Test func `a change between reading the value and registering for the next is drawn`() async {
        let source = ProviderSource(0)
        let observed = Observed(source.provider)
        var lost = 0
        for round in 1...20_000 {
            let screen = Screen {
                observed.value
            } whileDrawing: {
                if source.current < round { source.set(round) }
            }
            await drainMainActor()
            if screen.drawn != round { lost += 1 }
        }
        #expect(lost == 0)
    }

    @Test func `changes from other threads are all drawn in the end`() async {
        let source = ProviderSource(0)
        let observed = Observed(source.provider)
        let screen = Screen { observed.value }
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<1_000 { source.update { $0 += 1 } } } }
        }
        await drainMainActor()
        #expect(screen.drawn == 4_000)
        #expect(screen.drawings == screen.drawings.sorted())
    }

    @Test func `several changes before the main actor's next step are drawn once`() async {
        let source = ProviderSource(1)
        let observed = Observed(source.provider)
        let screen = Screen { observed.value }
        source.set(2)
        source.set(3)
        #expect(observed.value == 1)
        await drainMainActor()
        #expect(screen.drawings == [1, 3])
        source.set(4)
        await drainMainActor()
        #expect(screen.drawings == [1, 3, 4])
    }

    @Test func `a value that is not read notifies of nothing`() async {
        let source = ProviderSource(1)
        let observed = Observed(source.provider)
        withObservationTracking {
        } onChange: {
            Issue.record("nothing was read")
        }
        source.set(2)
        await drainMainActor()
        #expect(observed.value == 2)
    }

    @Test func `a value that is set during a delivery is followed`() async {
        let source = ProviderSource(0)
        let made = Log<Observed<Int>>()
        let token = source.provider.listen { value in
            guard value == 1 else { return }
            source.set(2)
            MainActor.assumeIsolated { made.add(Observed(source.provider)) }
        }
        source.set(1)
        #expect(made.entries.map(\.value) == [2])
        source.set(3)
        await drainMainActor()
        #expect(made.entries.map(\.value) == [3])
        token.cancel()
    }

    @Test func `it ends its observation when it is released, even with a change on its way`() async {
        let source = ProviderSource(1)
        weak var released: Observed<Int>?
        do {
            let observed = Observed(source.provider)
            released = observed
            #expect(source.listenerCount == 1)
            source.set(2)
        }
        #expect(released == nil)
        #expect(source.listenerCount == 0)
        await drainMainActor()
    }

    @Test func `a loadable's snapshots are drawn, and the loadable lives as long as what observes it`() async throws {
        weak var released: Loadable<Int>?
        do {
            let observed: Observed<LoadableSnapshot<Int>>
            do {
                let loadable = Loadable { 1 }
                released = loadable
                observed = Observed(loadable)
            }
            let screen = Screen { observed.value.contents }
            #expect(screen.drawings == [nil])
            try await released?.fetch()
            await drainMainActor()
            #expect(screen.drawn == 1)
            #expect(observed.value.state == .succeeded)
        }
        // The fetch's own task may end a little after its caller has the value.
        while released != nil { await Task.yield() }
    }

    @Test func `an active one keeps the loadable in sync until it is released`() async {
        let loadable = Loadable { 1 }
        do {
            let observed = Observed(loadable, isActive: true)
            let screen = Screen { observed.value.contents }
            await until { screen.drawn == 1 }
            loadable.invalidate()
            await until { loadable.snapshot.isInvalidated == false && loadable.snapshot.state == .succeeded }
        }
        loadable.invalidate()
        #expect(loadable.needsSync && loadable.snapshot.state == .succeeded)
    }
}
