import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing
import TestSupport

@Suite struct TapeStreamTests {
    private let clock = TestClock()

    /// Records a stream of three elements, two of them at once, and its end.
    private func record(
        _ end: (BufferWatching) -> Void,
        consume: Int = 3
    ) async throws -> Tape {
        let recorder = try TapeRecorder(clock: clock, environment: [:])
        let clean = BufferWatching()
        let watching = Intercepted<any Watching>(clean, by: [recorder.interceptor(errors: StoreError.self)])
        clock.advance(by: .seconds(1))
        var changes = watching.changes(of: "a").makeAsyncIterator()
        for (element, gap) in [("one", Duration.zero), ("two", .milliseconds(250)), ("", .zero)].prefix(consume) {
            clock.advance(by: gap)
            clean.send(element)
            #expect(try await changes.next(isolation: nil) == element)
        }
        clock.advance(by: .seconds(2))
        end(clean)
        if consume == 3 { _ = await outcome { try await changes.next(isolation: nil) } }
        return try Tape(json: recorder.finish().json())
    }

    private func player(_ tape: Tape, _ pace: TapePace = .immediate) throws -> any Watching {
        Intercepted<any Watching>(source: try TapePlayer(tape, pace: pace).source(errors: StoreError.self))
    }

    @Test func `TAPE-06: elements come back one by one, with the gaps between them`() async throws {
        let tape = try await record { $0.buffer.finish() }
        let entry = try #require(tape.entries.first)
        #expect(entry.start == 1_000_000 && entry.took == 2_250_000)
        #expect(entry.items?.map(\.at) == [0, 250_000, 250_000])
        var texts: [String] = []
        for try await text in try player(tape).changes(of: "a") { texts.append(text) }
        #expect(texts == ["one", "two", ""])
    }

    @Test func `TAPE-06: a failure ends a stream by the same error, and once`() async throws {
        let tape = try await record { $0.buffer.finish(throwing: StoreError(code: "lost")) }
        var changes = try player(tape).changes(of: "a").makeAsyncIterator()
        for _ in 1...3 { _ = try await changes.next(isolation: nil) }
        let error = await #expect(throws: StoreError.self) { try await changes.next(isolation: nil) }
        #expect(error == StoreError(code: "lost"))
        #expect(try await changes.next(isolation: nil) == nil)
    }

    @Test func `a stream keeps its pace on the clock: no element comes early, and a slow consumer waits no longer`()
        async throws
    {
        let tape = try await record { $0.buffer.finish() }
        let clock = TestClock()
        let got = Mutex<[String]>([])
        let watching = try player(tape, .recorded(on: clock))
        let consumer = Task {
            for try await text in watching.changes(of: "a") { got.withLock { $0.append(text) } }
        }
        await clock.waitForSleepers()
        #expect(got.withLock { $0 } == ["one"])
        clock.advance(by: .milliseconds(250))
        await clock.waitForSleepers()
        #expect(got.withLock { $0 } == ["one", "two", ""])
        clock.advance(by: .seconds(2))
        try await consumer.value
    }

    @Test func `a replayed call takes as long as the recorded one`() async throws {
        let recordingClock = TestClock()
        let recorder = try TapeRecorder(clock: recordingClock, environment: [:])
        _ = try await recorder.port(0).call("slow") { _ in
            recordingClock.advance(by: .seconds(3))
            return 1
        }
        let tape = try recorder.finish()
        let clock = TestClock()
        let isDone = Mutex(false)
        let port = try TapePlayer(tape, pace: .recorded(on: clock)).port(of: Int.self)
        let call = Task {
            let value = try await port.call("slow") { _ in 0 }
            isDone.withLock { $0 = true }
            return value
        }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(2999))
        #expect(!isDone.withLock { $0 })
        clock.advance(by: .milliseconds(1))
        #expect(try await call.value == 1)
    }

    @Test(arguments: [true, false])
    func `a stream that its consumer has left waits for the cancellation`(_ isAwaited: Bool) async throws {
        let tape = try await record({ _ in }, consume: 2)
        let (seen, watching) = (TestGate(), try player(tape))
        let consumer = Task {
            var texts: [String] = []
            do {
                for try await text in watching.changes(of: "a") {
                    texts.append(text)
                    if texts.count == 2 { seen.open() }
                }
                return texts + ["an end"]
            } catch is CancellationError { return texts }
        }
        if isAwaited { await seen.pass() }
        consumer.cancel()
        let texts = try await consumer.value
        #expect(texts == Array(["one", "two"].prefix(texts.count)))
        #expect(texts.count == 2 || !isAwaited)
    }

    @Test func `a call that was cancelled waits for the cancellation, and is CancellationError again`() async throws {
        let (started, recorder) = (TestGate(), try TapeRecorder(environment: [:]))
        func call(_ port: TapedPort<TestGate>) -> Task<Int, any Error> {
            Task {
                try await port.call("hangs") { gate in
                    gate.open()
                    try await TestClock().sleep(for: .seconds(1))
                    return 1
                }
            }
        }
        let recorded = call(recorder.port(started))
        await started.pass()
        recorded.cancel()
        await #expect(throws: CancellationError.self) { try await recorded.value }
        let tape = try recorder.finish()
        #expect(tape.entries.map(\.outcome) == [.cancelled])
        let replayed = call(try TapePlayer(tape).port())
        replayed.cancel()
        await #expect(throws: CancellationError.self) { try await replayed.value }
    }

    @Test func `a cancelled task gets CancellationError, whatever the tape has`() async throws {
        let tape = try await tape { store in _ = try await store.value(for: "a") }
        let store = try TapePlayer(tape).store
        let (gate, isCancelled) = (TestGate(), TestGate())
        let task = Task {
            gate.open()
            await isCancelled.pass()
            return try await store.value(for: "a")
        }
        await gate.pass()
        task.cancel()
        isCancelled.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `each iteration is an entry, and one more is an error of the stream and of the replay`() async throws {
        let tape = try await record { $0.buffer.finish() }
        let player = try TapePlayer(tape)
        let watching = Intercepted<any Watching>(source: player.source(errors: StoreError.self))
        for try await _ in watching.changes(of: "a") {}
        for key in ["a", "b"] {
            var changes = watching.changes(of: key).makeAsyncIterator()
            let error = await #expect(throws: TapeError.self) { try await changes.next(isolation: nil) }
            #expect(error?.code == (key == "a" ? .exhausted : .unmatched))
            #expect(try await changes.next(isolation: nil) == nil)
        }
        #expect(throws: TapeError.self) { try player.finish() }
    }

    @Test func `a stream is not answered by a call of the same name`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        try await recorder.port(0).call("changes", ["key": "a"]) { _ in }
        var changes = try player(recorder.finish()).changes(of: "a").makeAsyncIterator()
        let error = await #expect(throws: TapeError.self) { try await changes.next(isolation: nil) }
        #expect(error?.code == .unmatched)
    }
}
