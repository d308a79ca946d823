import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@Suite struct EventBufferTests {
    private func collect(_ events: EventStream<Int>) async -> ([Int], (any Error)?) {
        var elements: [Int] = []
        do {
            for try await element in events { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    @Test(arguments: [false, true])
    func `events arrive in order, with or without a waiting consumer, and then the end (STRM-01, STRM-02)`(
        isFailing: Bool
    )
        async
    {
        let buffer = EventBuffer<Int>()
        let events = buffer.events
        async let collected = collect(events)
        for number in 0..<500 {
            buffer.send(number, restart: { -1 })
            if number.isMultiple(of: 50) { await Task.yield() }
        }
        buffer.finish(throwing: isFailing ? TestError("lost") : nil)
        buffer.send(999, restart: { -1 })
        buffer.finish(throwing: TestError("second end"))
        let (elements, error) = await collected
        #expect(elements == Array(0..<500))
        #expect(error as? TestError == (isFailing ? TestError("lost") : nil))
        #expect(buffer.droppedCount == 0)
    }

    @Test func `after its error the sequence is over`() async throws {
        let buffer = EventBuffer<Int>()
        var iterator = buffer.events.makeAsyncIterator()
        buffer.finish(throwing: TestError("lost"))
        await #expect(throws: TestError("lost")) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func `after an error that the consumer waited for, the sequence is over too (STRM-02)`() async throws {
        let buffer = EventBuffer<Int>()
        async let ends = {
            var iterator = buffer.events.makeAsyncIterator()
            await #expect(throws: TestError("lost")) { try await iterator.next() }
            return try await iterator.next()
        }()
        await until { buffer.isAwaited }
        buffer.finish(throwing: TestError("lost"))
        #expect(try await ends == nil)
    }

    @Test func `a slow subscriber gets a restart instead of lost events (STRM-07)`() async {
        let buffer = EventBuffer<Int>(limit: 3)
        let events = buffer.events
        for number in 1...5 { buffer.send(number, restart: { -number }) }
        buffer.finish()
        #expect(await collect(events).0 == [-4, 5])
        #expect(buffer.droppedCount == 4)
    }

    @Test func `without a restart, falling too far behind is an error, and releases the producer (STRM-07)`() async {
        let buffer = EventBuffer<Int>(limit: 2)
        let log = Log<String>()
        buffer.onTermination { log.add("released") }
        let events = buffer.events
        for number in 1...4 { buffer.send(number, overflow: { TestError("behind at \(number)") }) }
        #expect(log.entries == ["released"])
        let (elements, error) = await collect(events)
        #expect(elements.isEmpty)
        #expect(error as? TestError == TestError("behind at 3"))
        #expect(buffer.droppedCount == 3)
    }

    @Test func `a limit below one is one`() async {
        let buffer = EventBuffer<Int>(limit: -5)
        let events = buffer.events
        buffer.send(1, restart: { 0 })
        buffer.finish()
        #expect(await collect(events).0 == [1])
    }

    @Test func `cancelling the consumer releases the producer once (STRM-04, STRM-05)`() async {
        let buffer = EventBuffer<Int>()
        let log = Log<String>()
        buffer.onTermination { log.add("released") }
        let events = buffer.events
        let task = Task { await collect(events) }
        buffer.send(1, restart: { 0 })
        await until { buffer.isAwaited }
        task.cancel()
        let (elements, error) = await task.value
        #expect(elements == [1])
        #expect(error is CancellationError)
        buffer.send(2, restart: { 0 })
        buffer.finish()
        #expect(log.entries == ["released"])
    }

    @Test func `a consumer that was cancelled before it began gets CancellationError`() async {
        let buffer = EventBuffer<Int>()
        let events = buffer.events
        buffer.send(1, restart: { 0 })
        let gate = TestGate()
        let task = Task {
            await gate.pass()
            return await collect(events)
        }
        task.cancel()
        gate.open()
        #expect(await task.value.1 is CancellationError)
    }

    @Test func `dropping the stream releases the producer (STRM-06)`() {
        let buffer = EventBuffer<Int>()
        let log = Log<String>()
        buffer.onTermination { log.add("released") }
        do {
            let events = buffer.events
            _ = events.makeAsyncIterator()
            #expect(log.entries.isEmpty)
            _ = events
        }
        #expect(log.entries == ["released"])
    }

    @Test func `leaving the loop releases the producer, though the buffer lives on (STRM-06)`() async throws {
        let buffer = EventBuffer<Int>()
        let log = Log<String>()
        buffer.onTermination { log.add("released") }
        buffer.send(1, restart: { 0 })
        for try await _ in buffer.events { break }
        #expect(log.entries == ["released"])
    }

    @Test func `a late termination handler is called at once`() {
        let buffer = EventBuffer<Int>()
        buffer.finish()
        let log = Log<String>()
        buffer.onTermination { log.add("released") }
        #expect(log.entries == ["released"])
    }

    @Test func `a second consumer at the same time gets an error, and steals nothing`() async throws {
        let buffer = EventBuffer<Int>()
        let events = buffer.events
        let first = Task { await collect(events) }
        await until { buffer.isAwaited }
        #expect(await collect(events).1 is IteratedTwice)
        buffer.send(1, restart: { 0 })
        buffer.finish()
        #expect(await first.value.0 == [1])
    }
}
