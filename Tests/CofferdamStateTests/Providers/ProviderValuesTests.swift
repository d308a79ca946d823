import Cofferdam
@testable import CofferdamState
import Testing
import TestSupport

@Suite struct ProviderValuesTests {
    @Test func `every consumer sees each value from its own beginning, however slow`() async {
        let source = ProviderSource(0)
        var early = source.provider.values().makeAsyncIterator()
        source.set(1)
        var late = source.provider.values().makeAsyncIterator()
        for value in 2...4 { source.set(value) }
        for expected in 0...4 { #expect(await early.next() == expected) }
        for expected in 1...4 { #expect(await late.next() == expected) }
    }

    @Test func `they end after the last value when the source is released, even for later consumers`() async {
        var source: ProviderSource<Int>? = ProviderSource(0)
        let provider = source?.provider
        var values = provider?.values().makeAsyncIterator()
        source?.set(1)
        source = nil
        var all: [Int] = []
        while let value = await values?.next() { all.append(value) }
        #expect(all == [0, 1])
        var late: [Int] = []
        if let provider { for await value in provider.values() { late.append(value) } }
        #expect(late == [1])
    }

    @Test func `a consumer that is too far behind skips to the latest`() async {
        let source = ProviderSource(0)
        var values = source.provider.values(limit: 2).makeAsyncIterator()
        for value in 1...9 { source.set(value) }
        var last: Int?
        repeat { last = await values.next() } while last != 9 && last != nil
        #expect(last == 9)
    }

    @Test func `a dropped or cancelled consumer is unsubscribed, and leaves the others alone`() async {
        let source = ProviderSource(0)
        do {
            var dropped = source.provider.values().makeAsyncIterator()
            #expect(await dropped.next() == 0)
            #expect(source.listenerCount == 1)
        }
        #expect(source.listenerCount == 0)
        let log = Log<Int>()
        let consume = { @Sendable in for await value in source.provider.values() { log.add(value) } }
        let leaving = Task { await consume() }
        let staying = Task { await consume() }
        await until { log.entries == [0, 0] }
        leaving.cancel()
        await leaving.value
        #expect(source.listenerCount == 1)
        source.set(1)
        await until { log.entries == [0, 0, 1] }
        staying.cancel()
        await staying.value
        #expect(source.listenerCount == 0)
    }
}
