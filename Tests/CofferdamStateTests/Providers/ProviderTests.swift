import Cofferdam
@testable import CofferdamState
import Testing
import TestSupport

@Suite struct ProviderTests {
    @Test func `a late listener is called at once with the current value, and then with every change`() {
        let source = ProviderSource(1)
        source.set(2)
        let log = Log<Int>()
        let token = source.provider.listen { log.add($0) }
        #expect(log.entries == [2])
        source.set(3)
        source.set(3)
        source.update { $0 += 1 }
        #expect(log.entries == [2, 3, 3, 4])
        source.setIfChanged(4)
        source.setIfChanged(5)
        #expect(log.entries == [2, 3, 3, 4, 5])
        token.cancel()
    }

    @Test func `a released or cancelled listener is not called again, and its captures are freed`() {
        final class Witness: Sendable {}
        let source = ProviderSource(1)
        let log = Log<Int>()
        weak var witness: Witness?
        do {
            let strong = Witness()
            witness = strong
            let token = source.provider.listen { value in
                _ = strong
                log.add(value)
            }
            source.set(2)
            token.cancel()
            token.cancel()
            source.set(3)
        }
        #expect(log.entries == [1, 2])
        #expect(witness == nil)
        _ = source.provider.listen { log.add($0) }
        source.set(4)
        #expect(log.entries == [1, 2, 3])
        #expect(source.listenerCount == 0)
    }

    @Test func `a value set inside a callback is delivered after it, to each in the same order`() {
        let source = ProviderSource(0)
        let log = Log<String>()
        let a = source.provider.listen { value in
            log.add("a\(value)")
            if value == 1 { source.set(2) }
            log.add("/a\(value)")
        }
        let b = source.provider.listen { log.add("b\($0)") }
        source.set(1)
        #expect(log.entries == ["a0", "/a0", "b0", "a1", "/a1", "b1", "a2", "/a2", "b2"])
        a.cancel()
        b.cancel()
    }

    @Test func `listeners may be added and removed inside a callback`() {
        let source = ProviderSource(0)
        let log = Log<String>()
        let tokens = Mutex<[String: ListenerToken]>([:])
        let cancel = { @Sendable (name: String) in
            let token = tokens.withLock { $0.removeValue(forKey: name) }
            token?.cancel()
        }
        let a = source.provider.listen { value in
            log.add("a\(value)")
            guard value == 1 else { return }
            cancel("b")
            let token = source.provider.listen { log.add("c\($0)") }
            tokens.withLock { $0["c"] = token }
        }
        let b = source.provider.listen { log.add("b\($0)") }
        tokens.withLock { $0["b"] = b }
        source.set(1)
        source.set(2)
        #expect(log.entries == ["a0", "b0", "a1", "c1", "a2", "c2"])
        cancel("c")
        a.cancel()
    }

    @Test func `a listener that is added while a change is queued gets that change once`() {
        let source = ProviderSource(0)
        let log = Log<Int>()
        let late = Mutex<ListenerToken?>(nil)
        let token = source.provider.listen { value in
            guard value == 1 else { return }
            source.set(2)
            let token = source.provider.listen { log.add($0) }
            late.withLock { $0 = token }
        }
        source.set(1)
        #expect(log.entries == [2])
        source.set(3)
        #expect(log.entries == [2, 3])
        late.withLock { $0 }?.cancel()
        token.cancel()
    }

    @Test func `a listener may remove itself`() {
        let source = ProviderSource(0)
        let log = Log<Int>()
        let own = Mutex<ListenerToken?>(nil)
        let token = source.provider.listen { value in
            log.add(value)
            if value == 1 { own.withLock { $0 }?.cancel() }
        }
        own.withLock { $0 = token }
        source.set(1)
        source.set(2)
        #expect(log.entries == [0, 1])
    }

    @Test func `a listener that leaves during a delivery is not called again, and is freed after the delivery`() {
        final class Witness: Sendable {}
        let source = ProviderSource(0)
        let log = Log<String>()
        let leaving = Mutex<ListenerToken?>(nil)
        weak var witness: Witness?
        let first = source.provider.listen { value in
            log.add("a\(value)")
            if value == 1 { leaving.withLock { $0.take() }?.cancel() }
        }
        do {
            let held = Witness()
            witness = held
            let token = source.provider.listen { value in
                withExtendedLifetime(held) {}
                log.add("b\(value)")
            }
            leaving.withLock { $0 = token }
        }
        let last = source.provider.listen { log.add("c\($0)") }
        source.set(1)
        #expect(log.entries == ["a0", "b0", "c0", "a1", "c1"])
        #expect(witness == nil)
        #expect(source.listenerCount == 2)
        withExtendedLifetime((first, last)) {}
    }

    @Test func `a listener that is removed before its first delivery is never called`() {
        let source = ProviderSource(0)
        let log = Log<Int>()
        let token = source.provider.listen { value in
            guard value == 1 else { return }
            // Queued behind the delivery in progress.
            source.provider.listen { log.add($0) }.cancel()
        }
        source.set(1)
        source.set(2)
        #expect(log.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test func `when the source is released its listeners are freed, even if their tokens are held`() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        var source: ProviderSource<Int>? = ProviderSource(0)
        var tokens: [ListenerToken] = []
        for _ in 0..<2 {
            let held = Witness()
            witness = held
            if let token = source?.provider.listen({ _ in withExtendedLifetime(held) {} }) { tokens.append(token) }
        }
        #expect(witness != nil)
        source = nil
        #expect(witness == nil)
        withExtendedLifetime(tokens) {}
    }

    @Test func `a deinitialiser of what a listener held may use the provider, as no lock is held then`() {
        final class Witness: Sendable {
            let source: ProviderSource<Int>
            init(_ source: ProviderSource<Int>) { self.source = source }
            deinit { source.set(9) }
        }
        let source = ProviderSource(0)
        let log = Log<Int>()
        let leaving = Mutex<ListenerToken?>(nil)
        let staying = source.provider.listen { value in
            log.add(value)
            if value == 1 { leaving.withLock { $0.take() }?.cancel() }
        }
        do {
            let witness = Witness(source)
            let token = source.provider.listen { _ in withExtendedLifetime(witness) {} }
            leaving.withLock { $0 = token }
        }
        source.set(1)
        #expect(log.entries == [0, 1, 9])
        withExtendedLifetime(staying) {}
    }

    @Test func `with many writers every listener gets the same values in the same order`() async {
        let source = ProviderSource(0)
        let logs = [Log<Int>(), Log<Int>()]
        let tokens = logs.map { log in source.provider.listen { log.add($0) } }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<250 { source.update { $0 += 1 } } }
            }
        }
        await until { logs.allSatisfy { $0.entries.count == 2001 } }
        for log in logs { #expect(log.entries == Array(0...2000)) }
        for token in tokens { token.cancel() }
    }

    @Test func `states begin with the current value and end with the source`() async {
        var source: ProviderSource<Int>? = ProviderSource(1)
        let provider = source?.provider
        source?.set(2)
        let log = Log<Int>()
        let task = Task {
            guard let provider else { return }
            for await value in provider.states { log.add(value) }
        }
        await until { log.entries == [2] }
        source?.set(3)
        await until { log.entries == [2, 3] }
        source?.set(4)
        source = nil
        await task.value
        #expect(log.entries == [2, 3, 4])
        #expect(provider?.current == 4)
    }

    @Test func `each of several consumers sees the latest, and a slow one skips to it`() async {
        let source = ProviderSource(0)
        var slow = source.provider.states.makeAsyncIterator()
        var quick = source.provider.states.makeAsyncIterator()
        #expect(await slow.next() == 0)
        #expect(await quick.next() == 0)
        for value in 1...3 {
            source.set(value)
            #expect(await quick.next() == value)
        }
        #expect(await slow.next() == 3)
    }

    @Test func `a cancelled consumer ends, is forgotten, and leaves the others alone`() async {
        let source = ProviderSource(0)
        let log = Log<Int>()
        let consume = { @Sendable in for await value in source.provider.states { log.add(value) } }
        let leaving = Task { await consume() }
        let staying = Task { await consume() }
        await until { source.waitingCount == 2 }
        leaving.cancel()
        await leaving.value
        #expect(source.waitingCount == 1)
        source.set(1)
        await until { log.entries == [0, 0, 1] && source.waitingCount == 1 }
        staying.cancel()
        await staying.value
        #expect(source.waitingCount == 0)
    }
}
