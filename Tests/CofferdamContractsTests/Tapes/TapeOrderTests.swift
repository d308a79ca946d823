import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// Replays a tape on which "ring" was called while "open" was in progress.
@Suite struct TapeOrderTests {
    private struct Door: Sendable {}

    private func tape() async throws -> Tape {
        let clock = TestClock()
        let recorder = try TapeRecorder(clock: clock, environment: [:])
        let port = recorder.port(Door())
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (rung, ring) = AsyncStream<Void>.makeStream()
        let opening = Task {
            try await port.call("open") { _ in
                begin.yield()
                for await _ in rung { break }
                return "opened"
            }
        }
        for await _ in begun { break }
        clock.advance(by: .milliseconds(1))
        _ = try await port.call("ring") { _ in "rung" }
        clock.advance(by: .milliseconds(1))
        ring.yield()
        _ = try await opening.value
        return try Tape(json: recorder.finish().json())
    }

    private func never(_ door: Door) -> String {
        Issue.record("the tape was not asked")
        return ""
    }

    @Test(arguments: [["open", "ring"], ["ring", "open"]])
    func `in order, a call is not answered before the calls that overlapped it have begun`(_ calls: [String])
        async throws
    {
        let player = try TapePlayer(await tape(), pace: .inOrder)
        let port = player.port(of: Door.self)
        let answers = Mutex<[String]>([])
        let first = Task {
            let answer = try await port.call(calls[0]) { never($0) }
            answers.withLock { $0.append(answer) }
        }
        while player.unused.count == 2 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(answers.withLock { $0 }.isEmpty)
        let answered = ["open": "opened", "ring": "rung"]
        #expect(try await port.call(calls[1]) { never($0) } == answered[calls[1]])
        try await first.value
        #expect(answers.withLock { $0 } == [answered[calls[0]]])
        try player.finish()
    }

    @Test func `in order, a call that waits in vain ends when its caller is cancelled`() async throws {
        let player = try TapePlayer(await tape(), pace: .inOrder)
        let port = player.port(of: Door.self)
        let opening = Task { try await port.call("open") { never($0) } }
        while player.unused.count == 2 { await Task.yield() }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
    }

    @Test func `at once, no call waits for another`() async throws {
        let port = try TapePlayer(await tape()).port(of: Door.self)
        #expect(try await port.call("open") { never($0) } == "opened")
    }
}
