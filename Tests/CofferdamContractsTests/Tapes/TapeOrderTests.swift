import Cofferdam
import CofferdamContracts
import Testing

/// A tape on which "open" was under way while "ring" was called.
@Suite struct TapeOrderTests {
    private struct Door: Sendable {}

    private func tape() async throws -> Tape {
        let clock = HandClock()
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

    @Test func `in order, a call is not answered before what began meanwhile has begun`() async throws {
        let player = try TapePlayer(await tape(), pace: .inOrder)
        let port = player.port(of: Door.self)
        let answers = Mutex<[String]>([])
        let opening = Task {
            let answer = try await port.call("open") { never($0) }
            answers.withLock { $0.append(answer) }
        }
        while player.unused.count == 2 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(answers.withLock { $0 }.isEmpty)
        #expect(try await port.call("ring") { never($0) } == "rung")
        try await opening.value
        #expect(answers.withLock { $0 } == ["opened"])
        try player.finish()
    }

    @Test func `in order, a call is not answered before what it was made under has begun`() async throws {
        let player = try TapePlayer(await tape(), pace: .inOrder)
        let port = player.port(of: Door.self)
        let answers = Mutex<[String]>([])
        let ringing = Task {
            let answer = try await port.call("ring") { never($0) }
            answers.withLock { $0.append(answer) }
        }
        while player.unused.count == 2 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(answers.withLock { $0 }.isEmpty)
        #expect(try await port.call("open") { never($0) } == "opened")
        try await ringing.value
        #expect(answers.withLock { $0 } == ["rung"])
        try player.finish()
    }

    @Test func `in order, a call that waits for what never comes ends with its caller`() async throws {
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
