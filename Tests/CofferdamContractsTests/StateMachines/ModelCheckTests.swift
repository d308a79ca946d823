import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct ModelCheckTests {
    private let context = RuleContext(rule: "store/STORE-03", bound: .seconds(5))

    private func subject() -> StorageSubject {
        let memory = MemoryStorage()
        return StorageSubject(storage: memory, empty: { await memory.removeAll() })
    }

    private func removing(_ remove: @escaping @Sendable (String) async throws -> Void) -> StorageSubject {
        PortPlace.storage.replacing(StorageOperations.remove, in: subject()) { _, key in try await remove(key) }
    }

    private func failure(
        of subject: StorageSubject,
        seed: UInt64 = 1,
        programs: Int = 10
    ) async throws -> ModelFailure<StorageModel.Command>? {
        try await ModelCheck(StorageModel(), seed: seed, programs: programs).failure(of: subject, context)
    }

    @Test func `an adapter that does what the model does has no failure`() async throws {
        #expect(try await failure(of: subject()) == nil)
    }

    @Test(arguments: [1, 2, 3, 99] as [UInt64])
    func `a removal that is off by one is shrunk to the two commands that show it`(_ seed: UInt64) async throws {
        let faulty = PortPlace.storage.replacing(StorageOperations.remove, in: subject()) { clean, key in
            try await clean(key == "a" ? "b" : "a")
        }
        let failure = try #require(try await failure(of: faulty, seed: seed))
        #expect(failure.program.count > 2)
        let minimal = ["a", "b"].flatMap { set in
            ["a", "b"].map { [StorageModel.Command.set("", for: set), .remove($0)] }
        }
        #expect(minimal.contains(failure.minimal), "\(failure)")
        #expect(failure.disagreement.hasPrefix("keys: expected"))
    }

    @Test func `arguments are simplified only as far as the program still fails`() async throws {
        let faulty = PortPlace.storage.replacing(StorageOperations.text, in: subject()) { clean, key in
            let text = try await clean(key)
            return text.isEmpty ? text : "?"
        }
        let failure = try #require(try await failure(of: faulty))
        guard case .set(let text, _) = failure.minimal.first, failure.minimal.count == 1 else {
            Issue.record("\(failure)")
            return
        }
        #expect(!text.isEmpty)
    }

    @Test func `a failure's seed reproduces its program`() async throws {
        let faulty = removing { _ in }
        let first = try #require(try await failure(of: faulty, seed: 7, programs: 50))
        let again = try #require(try await failure(of: faulty, seed: first.seed, programs: 1))
        #expect(again == first)
        #expect("\(first)".contains("seed \(first.seed), \(first.minimal.count) of \(first.program.count) commands"))
    }

    @Test func `the seed determines the programs`() {
        let check = ModelCheck(StorageModel(), length: 20)
        #expect(check.program(of: 5) == check.program(of: 5))
        #expect(check.program(of: 5) != check.program(of: 6))
        #expect(check.program(of: 5).count == 20)
    }

    @Test func `an error that is not an answer is a disagreement, which names it`() async throws {
        let failure = try await failure(of: removing { _ in throw Broken() })
        #expect(failure?.disagreement.hasSuffix("threw Broken()") == true)
        #expect(failure?.minimal.count == 1)
    }

    @Test func `a command that hangs is reported at once, and not tried again`() async throws {
        let (gate, started, clock) = (TestGate(), TestGate(), TestClock())
        let faulty = removing { _ in
            started.open()
            await gate.pass()
        }
        let context = RuleContext(rule: "store/STORE-03", bound: .seconds(1), clock: clock)
        let check = ModelCheck(StorageModel(), length: 30)
        let run = Task { try await check.failure(of: faulty, context) }
        await started.pass()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        let failure = try #require(try await run.value)
        gate.open()
        #expect(failure.minimal == failure.program)
        #expect(failure.disagreement.hasPrefix("not within 1.0 seconds: remove("))
    }
}
