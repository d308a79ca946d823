import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamTool

struct UpgradeWatchTests {
    @Test func `A pipe gets a line for each change, and none for mere aging`() async throws {
        let (isReached, output) = try await watch(.lines, until: .verdict(.promote), counts: [10, 10, 20_000, 20_000])
        #expect(isReached)
        #expect(
            output == """
                catalogue: All users are on V1; V2 is compared in the background. None of 10 got another answer. Next: 5 % on V2, after 6,271 more users without a difference, in about 26 d 3 h.
                catalogue: All users are on V1; V2 is compared in the background. None of 20,000 got another answer. Enough is known. Next: 5 % on V2.

                """
        )
    }

    @Test func `A state that is already reached ends it at once, and one that never comes is not reached`() async throws
    {
        #expect(try await watch(.lines, until: .stage(.legacyOnly), counts: [10]).isReached)
        #expect(try await watch(.lines, until: .stage(.candidateOnly), counts: [10, 20]).isReached == false)
        #expect(try await watch(.lines, until: nil, counts: [10, 20]).isReached)
    }

    @Test func `JSON is an object in each line`() async throws {
        let output = try await watch(.json, until: nil, counts: [10, 11]).output
        #expect(output.split(separator: "\n").count == 2)
        #expect(output.hasPrefix(#"{"asOf":"2026-11-22T05:39:50Z","attempt":1,"capability":"catalogue","epoch":1,"#))
    }

    @Test func `A terminal gets its screen back however the watch ends, and the last page stays`() async throws {
        let style = TerminalStyle(isColoured: false)
        let output = try await watch(.screen(style), until: nil, counts: [10, 20]).output
        #expect(output.hasPrefix(UpgradeWatch.enter + "\u{1B}[H"))
        let end = try #require(output.components(separatedBy: UpgradeWatch.leave).last)
        #expect(end.hasPrefix("catalogue  V2 in the background") && !end.contains("\u{1B}"))
        #expect(output.components(separatedBy: "\u{1B}[H").count == 3, "it is painted twice")

        let written = Mutex("")
        let bench = try await bench(10)
        await #expect(throws: ReaderGone.self) {
            let watch = UpgradeWatch(form: .screen(style), until: nil) {
                try await bench.controls.status(of: bench.capabilities)
            } write: { text in
                written.withLock { $0 += text }
                if text.hasPrefix("\u{1B}[H") { throw ReaderGone() }
            }
            _ = try await watch.run(ticks: AsyncStream<Void> { $0.finish() })
        }
        #expect(written.withLock { $0 }.hasSuffix(UpgradeWatch.leave))
    }

    @Test func `A failure of the first read is an error, and a later one is shown and retried`() async throws {
        let lost = UpgradeStoreError(.unavailable, "nobody answers", subject: "state.json")
        await #expect(throws: UpgradeStoreError.self) {
            let watch = UpgradeWatch(form: .lines, until: nil) {
                throw lost
            } write: { _ in
            }
            _ = try await watch.run(ticks: AsyncStream<Void> { $0.finish() })
        }
        let reads = Mutex(0)
        let bench = try await bench(10)
        let written = Mutex("")
        let watch = UpgradeWatch(form: .lines, until: nil) {
            let number = reads.withLock { count in
                count += 1
                return count
            }
            if number == 2 { throw lost }
            return try await bench.controls.status(of: bench.capabilities)
        } write: { text in
            written.withLock { $0 += text }
        }
        _ = try await watch.run(ticks: ticks(2))
        let lines = written.withLock { $0 }.split(separator: "\n")
        #expect(lines.count == 2 && lines[1] == "the status cannot be read: state.json: nobody answers")
        #expect(reads.withLock { $0 } == 3)
    }

    @Test(
        arguments: [
            ("promote", .verdict(.promote)), ("rollBack", .verdict(.rollBack)),
            ("canary(500)", .stage(.canary(share: 500))),
            ("canary", nil), ("", nil), ("Promote", nil),
        ] as [(String, WatchGoal?)]
    )
    func `It waits for a verdict or a stage`(_ text: String, _ goal: WatchGoal?) {
        #expect(WatchGoal(text) == goal)
    }

    // MARK: -

    private func bench(_ units: Int) async throws -> UpgradeBench {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        await bench.count(0, of: units, steps: 1)
        return bench
    }

    /// Watches evidence that has the next number at each reading.
    private func watch(
        _ form: UpgradeWatch.Form,
        until: WatchGoal?,
        counts: [Int]
    ) async throws -> (isReached: Bool, output: String) {
        let bench = try await bench(counts[0])
        let rest = Mutex(counts)
        let written = Mutex("")
        let watch = UpgradeWatch(form: form, until: until) {
            let units = rest.withLock { $0.removeFirst() }
            await bench.count(0, of: units, steps: 1)
            return try await bench.controls.status(of: bench.capabilities)
        } write: { text in
            written.withLock { $0 += text }
        }
        let isReached = try await watch.run(ticks: ticks(counts.count - 1))
        return (isReached, written.withLock { $0 })
    }

    private func ticks(_ count: Int) -> AsyncStream<Void> {
        AsyncStream { continuation in
            for _ in 0..<count { continuation.yield() }
            continuation.finish()
        }
    }
}

private struct ReaderGone: Error {}
