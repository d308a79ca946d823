import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableGroupTests {
    /// The states of two members, and the group's: i idle, s syncing, o succeeded, f failed.
    private static let states: [(mode: LoadableGroup.Mode, rows: [String: String])] = [
        (
            .all,
            [
                "ii": "i", "is": "s", "io": "i", "if": "f", "si": "s", "ss": "s", "so": "s", "sf": "f",
                "oi": "i", "os": "s", "oo": "o", "of": "f", "fi": "f", "fs": "f", "fo": "f", "ff": "f",
            ]
        ),
        (
            .any,
            [
                "ii": "i", "is": "s", "io": "o", "if": "i", "si": "s", "ss": "s", "so": "s", "sf": "s",
                "oi": "o", "os": "s", "oo": "o", "of": "o", "fi": "i", "fs": "s", "fo": "o", "ff": "f",
            ]
        ),
        (
            .settled,
            [
                "ii": "i", "is": "s", "io": "i", "if": "i", "si": "s", "ss": "s", "so": "s", "sf": "s",
                "oi": "i", "os": "s", "oo": "o", "of": "o", "fi": "i", "fs": "s", "fo": "o", "ff": "o",
            ]
        ),
    ]

    /// Whether two members have contents, and the group has.
    private static let contents: [(mode: LoadableGroup.Mode, rows: [String: Bool])] = [
        (.all, ["--": false, "-c": false, "c-": false, "cc": true]),
        (.any, ["--": false, "-c": true, "c-": true, "cc": true]),
        (.settled, ["--": false, "-c": false, "c-": false, "cc": true]),
    ]

    private static let letters: [Character: LoadState] = ["i": .idle, "s": .syncing, "o": .succeeded, "f": .failed]

    private func member(_ letter: Character, _ contents: Int? = nil) -> LoadableSource<Int> {
        let source = LoadableSource(contents)
        switch letter {
        case "s": source.setSyncing()
        case "o": source.succeed(1)
        case "f": source.fail(TestError("member"))
        default: break
        }
        return source
    }

    @Test func `the truth table of two members' states, 48 rows`() throws {
        var count = 0
        for (mode, rows) in Self.states {
            for (row, expected) in rows {
                let group = LoadableGroup.group(row.map { member($0).loadable }, mode)
                let state = try #require(Self.letters[Character(expected)])
                #expect(group.snapshot.state == state, "\(mode) of \(row)")
                #expect((group.snapshot.error != nil) == (state == .failed), "\(mode) of \(row)")
                count += 1
            }
        }
        #expect(count == 48)
    }

    @Test func `the truth table of two members' contents, 12 rows`() {
        var count = 0
        for (mode, rows) in Self.contents {
            for (row, expected) in rows {
                let members = row.map { member("i", $0 == "c" ? 1 : nil).loadable }
                #expect(LoadableGroup.group(members, mode).status.hasContents == expected, "\(mode) of \(row)")
                count += 1
            }
        }
        #expect(count == 12)
    }

    @Test(arguments: LoadableGroup.Mode.allCases)
    func `without members a group is idle, has no contents, and does not hang`(mode: LoadableGroup.Mode) async {
        let group = LoadableGroup.group([], mode)
        #expect(group.snapshot.state == .idle)
        #expect(!group.status.hasContents)
        await group.sync()
        #expect(group.snapshot.state == .idle)
        await #expect(throws: LoadableError.self) { try await group.fetch() }
    }

    @Test func `a group follows its members, and its error and state always agree`() {
        let (a, b) = (member("o"), member("o"))
        let group = LoadableGroup.all([a.loadable, b.loadable])
        let log = Log<String>()
        let token = group.observe { log.add("\($0.state)\($0.error == nil ? "" : " error")") }
        a.setSyncing()
        a.fail(TestError("a"))
        b.fail(TestError("b"))
        a.succeed(2)
        b.succeed(3)
        #expect(
            log.entries == ["succeeded", "syncing", "failed error", "failed error", "succeeded"]
                || log.entries == ["succeeded", "syncing", "failed error", "succeeded"]
        )
        #expect(group.snapshot.contents != nil)
        token.cancel()
    }

    @Test func `a group shows the error of a member that has failed still`() {
        let (a, b) = (member("o"), member("o"))
        let group = LoadableGroup.all([a.loadable, b.loadable])
        func error() -> TestError? { group.snapshot.error as? TestError }
        b.fail(TestError("b"))
        #expect(error() == TestError("b"))
        a.fail(TestError("a"))
        #expect(error() == TestError("a"))
        a.fail(TestError("a again"))
        #expect(error() == TestError("a again"))
        a.succeed(1)
        #expect(error() == TestError("b"))
    }

    @Test func `syncing a group syncs its members concurrently, and only observes read-only ones`()
        async
    {
        let (a, b) = (LoadableDouble<Int>(), LoadableDouble<String>())
        let pushed = LoadableSource(1)
        pushed.succeed(2)
        let group = LoadableGroup.all([a.loadable, b.loadable, pushed.loadable])
        #expect(group.needsSync)
        async let synced: Void = group.sync()
        await until { a.waitingRunCount == 1 && b.waitingRunCount == 1 }
        #expect(group.snapshot.state == .syncing)
        a.succeed(1)
        b.succeed("b")
        await synced
        #expect(group.snapshot.state == .succeeded)
        #expect(!group.needsSync)
        await group.syncIfNeeded()
        #expect((a.runCount, b.runCount) == (1, 1))
        a.loadable.invalidate()
        async let again: Void = group.syncIfNeeded()
        await until { a.waitingRunCount == 1 }
        a.fail(TestError("a"))
        await again
        #expect(group.snapshot.error as? TestError == TestError("a"))
        #expect((a.runCount, b.runCount) == (2, 1))
    }

    @Test func `leaving a group's sync cancels the members' runs`() async {
        let double = LoadableDouble<Int>()
        let group = LoadableGroup.any([double.loadable])
        let task = Task { try await group.fetch() }
        await until { double.waitingRunCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await until { double.cancelledRunCount == 1 }
    }
}

@Suite struct LoadableChainTests {
    @Test func `a chain syncs one step after the other, and resumes at the one that failed`() async throws {
        let steps = (0..<3).map { _ in LoadableDouble<Int>() }
        let chain = LoadableGroup.chain(steps.map { LoadableStep($0.loadable) })
        #expect(chain.snapshot.state == .idle)
        async let first: Void = chain.sync()
        await until { steps[0].waitingRunCount == 1 }
        #expect(steps[1].runCount == 0)
        steps[0].succeed(0)
        await until { steps[1].waitingRunCount == 1 }
        steps[1].fail(TestError("second"))
        await first
        let error = try #require(chain.snapshot.error as? LoadableError)
        #expect(error.code == .chainBroken)
        #expect(error.message.contains("step 1 of 3"))
        #expect(error.cause as? TestError == TestError("second"))
        #expect(steps[2].runCount == 0)
        // The last one was synced elsewhere in the meantime.
        steps[2].succeed(2)
        async let second: Void = chain.syncIfNeeded()
        await until { steps[1].waitingRunCount == 1 }
        steps[1].succeed(1)
        await second
        #expect(chain.snapshot.state == .succeeded)
        #expect(chain.snapshot.error == nil)
        #expect(!chain.needsSync)
        #expect(steps.map(\.runCount) == [1, 2, 0])
    }

    @Test(arguments: ["proceed", "fail", "succeed"])
    func `each step of a chain decides how the chain goes on`(decision: String) async {
        let steps = (0..<2).map { _ in LoadableDouble<Int>() }
        for step in steps { step.succeed(1) }
        steps[1].setIdle()
        let chain = LoadableGroup.chain([
            LoadableStep(steps[0].loadable) { status in
                #expect(status.hasContents)
                return switch decision {
                case "fail": .fail(TestError("decided"))
                case "succeed": .succeed
                default: .proceed
                }
            },
            LoadableStep(steps[1].loadable),
        ])
        async let synced: Void = chain.sync()
        if decision == "proceed" {
            await until { steps[1].waitingRunCount == 1 }
            steps[1].succeed(2)
        }
        await synced
        #expect(chain.snapshot.state == (decision == "fail" ? .failed : .succeeded))
        #expect((chain.snapshot.error as? TestError) == (decision == "fail" ? TestError("decided") : nil))
        #expect(chain.needsSync == (decision == "fail"), "a step that was not needed need not be in sync")
        #expect(steps[1].runCount == (decision == "proceed" ? 1 : 0))
    }

    @Test func `an empty chain succeeds`() async throws {
        try await LoadableGroup.chain([]).fetch()
    }
}
