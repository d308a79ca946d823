import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct RouteBreakerTests {
    /// A breaker that opens after four failures.
    private static let few = BreakerSettings.defaults {
        ($0.window, $0.minimumCalls, $0.trials) = (4, 4, 2)
        $0.slowLimit = .seconds(1)
    }

    private func broken(
        _ stage: Stage = .candidateWithFallback,
        _ effect: Effect = .read,
        dataOwnership: DataOwnership = .shared
    ) async throws -> ZooUpgrade {
        let upgrade = try ZooUpgrade(stage, dataOwnership: dataOwnership, breakers: Self.few)
        upgrade.candidate.fail(.unsent)
        for _ in 0..<4 { try? await upgrade.call(effect) }
        return upgrade
    }

    @Test(arguments: [Effect.read, .idempotent, .write])
    func `an open breaker sends the call to the other side, and nothing of it to its own`(effect: Effect) async throws {
        let upgrade = try await broken(.candidateWithFallback, effect)
        let before = upgrade.sides.count
        try await upgrade.call(effect)
        #expect(upgrade.sides.dropFirst(before) == ["legacy"])
        #expect(upgrade.calls.entries.suffix(2).map(\.outcome) == [.refused, .answered])
        #expect(upgrade.calls.entries.suffix(2).map(\.role) == [.first, .fallback])
    }

    @Test(arguments: [Stage.candidateWithFallback, .candidateOnly, .candidateShadowed(sample: .all)])
    func `it never refuses a call that no other side would take, and ignores the result`(stage: Stage) async throws {
        let effect: Effect = stage == .candidateWithFallback ? .exclusive : .read
        let upgrade = try ZooUpgrade(stage, breakers: Self.few)
        upgrade.candidate.fail(.failed)
        // The first call under each decision is watched, and so measured.
        for seq in 0..<10 {
            upgrade.control.kill(KillSwitch(.freeze, by: "amara", reason: "seq \(seq)", seq: seq))
            await #expect(throws: ZooError.self) { try await upgrade.call(effect) }
        }
        let breakers = try #require(upgrade.breakers)
        #expect(breakers.isCandidateOpen)
        #expect(breakers.history == BreakerHistory(openings: 1, longestSeconds: 0, isOpen: true))
        #expect(upgrade.sides.count { $0 == "candidate" } == 10)
    }

    @Test func `where the breakers of both sides are open, the first side is called first`() async throws {
        let upgrade = try await broken()
        upgrade.legacy.fail(.failed)
        for _ in 0..<4 { try? await upgrade.call(.read) }
        let before = upgrade.sides.count
        try? await upgrade.call(.read)
        #expect(upgrade.sides.dropFirst(before) == ["candidate", "legacy"])
    }

    @Test func `after its time a few calls try the side, and it closes when they succeed`() async throws {
        let upgrade = try await broken()
        let zoo = try #require(upgrade.breakers)
        upgrade.candidate.respond { Animal(id: $0, name: "animal \($0)") }
        upgrade.clock.advance(by: .seconds(60))
        #expect(!zoo.isCandidateOpen)
        for _ in 0..<2 { try await upgrade.call(.read) }
        #expect(zoo[.candidate, "animal"].state == .closed)
        #expect(zoo.history == BreakerHistory(openings: 1, longestSeconds: 60, isOpen: false))
    }

    @Test func `each operation has its own breaker, and all that open at once are one opening`() async throws {
        let upgrade = try await broken()
        let breakers = try #require(upgrade.breakers)
        #expect(breakers[.candidate, "feed"].state == .closed)
        for _ in 0..<4 { try? await upgrade.call(.idempotent) }
        #expect(breakers[.candidate, "feed"].state == .open)
        #expect(breakers.history.openings == 1)
        #expect(upgrade.sides.count { $0 == "candidate" } == 8)
    }

    @Test func `an error that is an answer, and a caller that gave up, are not failures of the side`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback, breakers: Self.few)
        upgrade.candidate.fail(.answer)
        for _ in 0..<8 { try? await upgrade.call(.read) }
        upgrade.candidate.respond { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        for _ in 0..<8 { await Task { try? await upgrade.call(.read) }.value }
        #expect(upgrade.breakers?[.candidate, "animal"].state == .closed)
        // The same error, while its caller waits.
        upgrade.candidate.respond { _ in throw CancellationError() }
        for _ in 0..<8 { try? await upgrade.call(.read) }
        #expect(upgrade.breakers?[.candidate, "animal"].state == .open)
    }

    @Test func `a side that is slow every time opens it too`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback, breakers: Self.few)
        upgrade.candidate.respond { [clock = upgrade.clock] id in
            clock.advance(by: .seconds(2))
            return Animal(id: id, name: "")
        }
        for _ in 0..<4 { try await upgrade.call(.read) }
        #expect(upgrade.breakers?[.candidate, "animal"].state == .open)
    }

    @Test func `a unit that has written to the candidate's own data is never sent back by an open breaker`()
        async throws
    {
        let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate, breakers: Self.few)
        try await upgrade.call(.write)
        upgrade.candidate.fail(.failed)
        for _ in 0..<10 { try? await upgrade.call(.read) }
        #expect(!upgrade.sides.contains("legacy"))
    }

    @Test func `with separate data, an open breaker refuses no write`() async throws {
        let upgrade = try await broken(.candidateWithFallback, .write, dataOwnership: .separate)
        #expect(upgrade.breakers?[.candidate, "rename"].state == .open)
        await #expect(throws: ZooError(meaning: .unsent)) { try await upgrade.call(.write) }
        #expect(upgrade.sides == Array(repeating: "candidate", count: 5))
        #expect(upgrade.calls.entries.last?.outcome == .failed(.unsent, kind: "broken"))
    }
}
