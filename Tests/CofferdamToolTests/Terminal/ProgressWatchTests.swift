import Cofferdam
import CofferdamSupport
import CofferdamTesting
import Testing

@testable import CofferdamTool

/// Checks a command's progress messages without a terminal.
@Suite(.timeLimit(.minutes(1))) struct ProgressWatchTests {
    private let clock = TestClock()
    private let written: Written
    private let watch: ProgressWatch

    final class Written: Sendable {
        private let text = Mutex("")
        var lines: [Substring] { text.withLock { $0 }.split(separator: "\n") }
        func write(_ more: String) { text.withLock { $0 += more } }
    }

    init() {
        let written = Written()
        self.written = written
        watch = ProgressWatch(ProgressLine(isTerminal: false) { written.write($0) }, clock: clock)
    }

    @Test func `long work is reported as still running every ten seconds, and finished work resets the silence`()
        async throws
    {
        let watching = Task { try await watch.run() }
        defer { watching.cancel() }
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(4))
        watch.progress.show("1 of 2: LIST-01 on v1")
        clock.advance(by: .seconds(6))
        await clock.waitForSleeper(until: .seconds(20))
        #expect(written.lines == ["… 1 of 2: LIST-01 on v1: still running after 6 s"])
        clock.advance(by: .seconds(5))
        watch.progress.tell("✓ LIST-01 on v1")
        watch.progress.show("2 of 2: LIST-02 on v1")
        // A message was due now, but another one was printed in the meantime.
        clock.advance(by: .seconds(5))
        await clock.waitForSleeper(until: .seconds(25))
        #expect(written.lines.dropFirst() == ["✓ LIST-01 on v1"])
        clock.advance(by: .seconds(5))
        await clock.waitForSleeper(until: .seconds(35))
        #expect(written.lines.last == "… 2 of 2: LIST-02 on v1: still running after 10 s")
        #expect(written.lines.count == 3)
    }

    @Test func `a command that has printed nothing reports that it is working`() async throws {
        let watching = Task { try await watch.run() }
        defer { watching.cancel() }
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        await clock.waitForSleeper(until: .seconds(20))
        #expect(written.lines == ["… working: still running after 10 s"])
    }
}
