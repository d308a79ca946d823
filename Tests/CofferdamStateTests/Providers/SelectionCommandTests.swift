import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct SelectionCommandTests {
    typealias Device = SelectingProviderTests.Device

    private let rule = SelectionRule<Device>(where: \.isLinked, best: \.signal, ties: \.id)
    private let a = Device(id: "a", signal: 2)
    private let b = Device(id: "b", signal: 1)

    @Test func `a command goes to the chosen one, with its answer or error`() async throws {
        let selecting = SelectingProvider([b, a], rule: rule)
        #expect(try await selecting.perform { "opened \($0.id)" } == "opened a")
        await #expect(throws: TestError("jammed")) { try await selecting.perform { _ in throw TestError("jammed") } }
    }

    @Test func `without a choice nothing is run`() async {
        let selecting = SelectingProvider<Device>(rule: rule)
        await #expect(throws: NothingChosen.self) {
            try await selecting.perform { _ in Issue.record("no command was allowed") }
        }
    }

    /// What happens to the candidates while a command is in progress, and whether it survives.
    @Test(
        arguments: [
            ("lost", [Device(id: "b", signal: 1)], false), ("all gone", [], false),
            ("replaced", [Device(id: "a", signal: 2), Device(id: "b", signal: 9)], false),
            ("unlinked", [Device(id: "a", signal: 2, isLinked: false), Device(id: "b", signal: 1)], false),
            ("changed", [Device(id: "a", signal: 7)], true),
            ("joined", [Device(id: "a", signal: 2), Device(id: "c")], true),
        ] as [(String, [Device], Bool)]
    )
    func `a command is bound to its candidate, and cancelled when that is no longer chosen`(
        change: String,
        candidates: [Device],
        survives: Bool
    ) async throws {
        let selecting = SelectingProvider([a, b], rule: rule)
        let reached = Log<String>()
        let clock = TestClock()
        let task = Task {
            try await selecting.perform { device in
                reached.add(device.id)
                try await clock.sleep(for: .seconds(1))
                return device.id
            }
        }
        await until { clock.sleeperCount == 1 }
        selecting.set(candidates)
        if survives {
            clock.advance(by: .seconds(1))
            #expect(try await task.value == "a")
        } else {
            await #expect(throws: ChoiceLost.self) { try await task.value }
        }
        #expect(reached.entries == ["a"])
    }

    @Test func `a command that succeeds in spite of a loss gives its value`() async throws {
        let selecting = SelectingProvider([a, b], rule: rule)
        let gate = TestGate()
        let task = Task {
            try await selecting.perform { device in
                await gate.pass()
                return device.id
            }
        }
        await until { gate.arrivals == 1 }
        selecting.set([b])
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        #expect(try await task.value == "a")
    }

    @Test func `a cancelled caller stops its command`() async {
        let selecting = SelectingProvider([a], rule: rule)
        let clock = TestClock()
        let task = Task { try await selecting.perform { _ in try await clock.sleep(for: .seconds(1)) } }
        await until { clock.sleeperCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        #expect(selecting.listenerCount == 0)
    }

    @Test func `it follows a provider's candidates until it is released`() {
        let candidates = ProviderSource([b])
        do {
            let selecting = SelectingProvider(following: candidates.provider, rule: rule)
            #expect(selecting.chosen == b)
            candidates.set([a, b])
            #expect(selecting.chosen == a)
            #expect(selecting.selection.current.events == [.chosen(a)])
        }
        #expect(candidates.listenerCount == 0)
    }

    @Test func `all users of a provider get the same choice in any order`() {
        let candidates = ProviderSource([b, a])
        let selecting = SelectingProvider(following: candidates.provider, rule: rule)
        let screens = [Log<String?>(), Log<String?>()]
        let tokens = screens.map { log in selecting.selection.listen { log.add($0.chosen?.id) } }
        candidates.set([b])
        candidates.set([b, a])
        #expect(screens.map(\.entries) == [["a", "b", "a"], ["a", "b", "a"]])
        for token in tokens { token.cancel() }
    }
}
