import Cofferdam
import CofferdamContracts
import Testing

@Suite struct LinearizabilityCheckTests {
    private let context = RuleContext(rule: "store/STORE-04", bound: .seconds(60))

    @Test func `a storage that does one thing at a time is linearizable`() async throws {
        let memory = MemoryStorage()
        let subject = StorageSubject(storage: memory, empty: { await memory.removeAll() })
        let check = LinearizabilityCheck(StorageModel(), programs: 50)
        #expect(try await check.violations(of: subject, context).isEmpty)
    }

    @Test func `an update that another one overwrites is found, with the seed and the history`() async throws {
        let subject = StorageSubject(storage: LosingStorage())
        let check = LinearizabilityCheck(CounterModel(), programs: 50, lanes: 3, length: 2)
        let violation = try #require(try await check.violations(of: subject, context).first)
        #expect(violation.detail.hasPrefix("counter: seed 1, no order explains: [1–"))
    }

    @Test func `the seed determines the programs, lane by lane`() {
        let check = LinearizabilityCheck(StorageModel(), lanes: 4, length: 2)
        #expect(check.program(of: 3) == check.program(of: 3))
        #expect(check.program(of: 3).map(\.count) == [2, 2, 2, 2])
    }
}

/// Reads and writes in separate steps, so that writes in between are lost.
private final class LosingStorage: Storage {
    private let count = Mutex(0)

    func set(_ text: String, for key: String) async throws {
        let read = count.withLock { $0 }
        // Long enough for all other callers to read the same value.
        for _ in 0..<200 { await Task.yield() }
        count.withLock { $0 = read + 1 }
    }

    func text(for key: String) -> String { "\(count.withLock { $0 })" }
    func remove(_ key: String) { count.withLock { $0 = 0 } }
    func keys(after cursor: String?, limit: Int) -> KeyPage { KeyPage(keys: [], next: nil) }
}

/// A model that counts the writes.
private struct CounterModel: StatefulModel {
    enum Command: Sendable, Hashable { case increment, read }

    let name = "counter"
    let initial = 0
    let observing = [Command.read]

    func command(in state: Int, using random: inout SeededGenerator) -> Command { .increment }

    func answer(to command: Command, in state: inout Int) -> String {
        if command == .read { return "\(state)" }
        state += 1
        return "done"
    }

    func begin(_ subject: StorageSubject, _ context: RuleContext) async throws -> any Storage {
        try await subject.storage.remove("")
        return subject.storage
    }

    func perform(_ command: Command, in storage: any Storage) async throws -> String {
        if command == .read { return try await storage.text(for: "") }
        try await storage.set("", for: "")
        return "done"
    }
}
