import Cofferdam
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct UnitMemoryTests {
    /// Fails when the test says so.
    private final class Memory: UnitMemory {
        let transient = TransientUnitMemory()
        let log = Log<String>()
        let fails = Mutex(false)

        func hasWritten(_ unit: String, capability: String) async throws -> Bool {
            log.add("asked")
            if fails.withLock({ $0 }) { throw TestError("memory") }
            return await transient.hasWritten(unit, capability: capability)
        }
        func noteWrite(by unit: String, capability: String) async throws {
            log.add("noted")
            if fails.withLock({ $0 }) { throw TestError("memory") }
            await transient.noteWrite(by: unit, capability: capability)
        }
    }

    private let memory = Memory()

    private func upgrade(_ stage: Stage = .candidateWithFallback) throws -> ZooUpgrade {
        try ZooUpgrade(stage, dataOwnership: .separate, memory: memory)
    }

    @Test func `a unit's first write is remembered by the next process: nothing of it is read on the old side`()
        async throws
    {
        let first = try upgrade()
        try await first.call(.write)
        try await first.call(.write)
        #expect(memory.log.entries == ["asked", "noted"])
        let second = try upgrade()
        second.candidate.fail(.failed)
        await #expect(throws: ZooError.self) { try await second.call(.read) }
        #expect(second.sides == ["candidate"])
    }

    @Test func `it is recorded before the write is sent`() async throws {
        let upgrade = try upgrade()
        upgrade.candidate.respond { [log = memory.log] id in
            #expect(log.entries == ["asked", "noted"])
            return Animal(id: id, name: "")
        }
        try await upgrade.call(.write)
        #expect(upgrade.sides == ["candidate"])
    }

    @Test func `if the memory fails, the unit counts as having written, and the memory is asked again`() async throws {
        let upgrade = try upgrade()
        upgrade.candidate.fail(.failed)
        memory.fails.withLock { $0 = true }
        await #expect(throws: ZooError.self) { try await upgrade.call(.read) }
        #expect(upgrade.sides == ["candidate"])
        memory.fails.withLock { $0 = false }
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["candidate", "candidate", "legacy"])
    }

    @Test func `a write that cannot be recorded is not sent there`() async throws {
        let upgrade = try upgrade()
        memory.fails.withLock { $0 = true }
        await #expect(throws: TestError("memory")) { try await upgrade.call(.write) }
        #expect(upgrade.sides.isEmpty)
    }

    @Test func `a unit with several capabilities is remembered for each of them`() async throws {
        let upgrade = try upgrade()
        let other = try upgrade.other("orders", memory: memory)
        try await upgrade.call(.write)
        upgrade.candidate.fail(.failed)
        _ = try await other.animal(1)
        #expect(upgrade.sides == ["candidate", "candidate", "legacy"], "its orders are all on the old side")
        upgrade.candidate.respond { Animal(id: $0, name: "") }
        _ = try await other.rename(1)
        #expect(memory.log.entries == ["asked", "noted", "asked", "noted"])
        #expect(await memory.transient.hasWritten("keeper", capability: "orders"))
    }

    @Test func `with one backend the memory is not asked`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback, memory: memory)
        try await upgrade.call(.write)
        #expect(memory.log.entries.isEmpty)
    }
}
