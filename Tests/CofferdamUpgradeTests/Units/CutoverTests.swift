import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

/// An outbox that the test sets.
private final class ScriptedOutbox: Outbox {
    let log = Log<String>()
    let entries: Mutex<[OutboxEntry]>
    let drains: @Sendable (ScriptedOutbox) async throws -> Void
    let exports: @Sendable () throws -> Void

    init(
        _ entries: [OutboxEntry],
        drains: @escaping @Sendable (ScriptedOutbox) async throws -> Void = { _ in },
        exports: @escaping @Sendable () throws -> Void = {}
    ) {
        self.entries = Mutex(entries)
        self.exports = exports
        self.drains = drains
    }

    func waiting() async throws -> [OutboxEntry] { entries.withLock { $0 } }
    func drain() async throws {
        log.add("drain")
        try await drains(self)
    }
    func export(_ keys: [String]) async throws {
        log.add("export \(keys.joined(separator: ","))")
        try exports()
        remove(keys)
    }
    func discard(_ keys: [String]) async throws {
        log.add("discard \(keys.joined(separator: ","))")
        remove(keys)
    }
    func remove(_ keys: [String]) { entries.withLock { $0.removeAll { keys.contains($0.key) } } }
}

@Suite struct CutoverTests {
    private static let order = OutboxEntry(key: "k-1", canBeExported: true, summary: "an order")
    private static let message = OutboxEntry(key: "k-2", canBeExported: false, summary: "a message")

    private func upgrade() throws -> ZooUpgrade {
        let upgrade = try ZooUpgrade(.legacyOnly)
        try upgrade.control.move(to: .candidateOnly)
        return upgrade
    }

    @Test func `an outbox that drains in time is empty when the unit crosses over`() async throws {
        let upgrade = try upgrade()
        let outbox = ScriptedOutbox([Self.order, Self.message]) { [session = upgrade.session] outbox in
            #expect(session.side == .legacy)
            outbox.remove(["k-1", "k-2"])
        }
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .seconds(5),
            outbox: outbox,
            clock: upgrade.clock
        )
        #expect(cutover == Cutover(outcome: .completed, sent: 2))
        #expect(upgrade.session.side == .candidate)
        #expect(outbox.log.entries == ["drain"])
    }

    @Test func `what is not sent within the bound is exported under its key`() async throws {
        let upgrade = try upgrade()
        let gate = TestGate()
        let outbox = ScriptedOutbox([Self.order]) { _ in await gate.pass() }
        let (session, clock) = (upgrade.session, upgrade.clock)
        let cutover = Task {
            try await session.cutOver(from: .legacy, within: .seconds(5), outbox: outbox, clock: clock)
        }
        await until { upgrade.clock.sleeperCount == 1 && gate.arrivals == 1 }
        upgrade.clock.advance(by: .seconds(5))
        #expect(try await cutover.value == Cutover(outcome: .completed, exported: [Self.order]))
        #expect(outbox.log.entries == ["drain", "export k-1"])
        #expect(session.side == .candidate)
        gate.open()
    }

    @Test func `what would be lost is listed before, and nothing is lost without consent`() async throws {
        let upgrade = try upgrade()
        let outbox = ScriptedOutbox([Self.order, Self.message])
        let listed = Log<[OutboxEntry]>()
        let refused = try await upgrade.session.cutOver(
            from: .legacy,
            within: .zero,
            outbox: outbox,
            clock: upgrade.clock
        ) {
            listed.add($0)
            return false
        }
        #expect(refused == Cutover(outcome: .wouldLose, lost: [Self.message]))
        #expect(upgrade.session.side == .legacy)
        #expect(try await outbox.waiting().count == 2)
        let agreed = try await upgrade.session.cutOver(
            from: .legacy,
            within: .zero,
            outbox: outbox,
            clock: upgrade.clock
        ) {
            listed.add($0)
            return true
        }
        #expect(agreed == Cutover(outcome: .completed, exported: [Self.order], lost: [Self.message]))
        #expect(listed.entries == [[Self.message], [Self.message]])
        #expect(outbox.log.entries.suffix(2) == ["export k-1", "discard k-2"])
        #expect(upgrade.session.side == .candidate)
    }

    @Test func `an entry that came while a person was asked is kept, not lost`() async throws {
        let upgrade = try upgrade()
        let outbox = ScriptedOutbox([Self.message])
        let late = OutboxEntry(key: "k-3", canBeExported: false, summary: "late")
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .zero,
            outbox: outbox,
            clock: upgrade.clock
        ) { _ in
            outbox.entries.withLock { $0.append(late) }
            return true
        }
        #expect(cutover == Cutover(outcome: .completed, lost: [Self.message], kept: [late]))
        #expect(try await outbox.waiting() == [late])
    }

    @Test func `a unit that stays where it is keeps what waits there`() async throws {
        let upgrade = try ZooUpgrade(.legacyOnly)
        let outbox = ScriptedOutbox([Self.order, Self.message])
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .zero,
            outbox: outbox,
            clock: upgrade.clock
        ) { _ in
            Issue.record("nothing is lost")
            return true
        }
        #expect(cutover == Cutover(outcome: .completed))
        #expect(outbox.log.entries.isEmpty)
        #expect(try await outbox.waiting() == [Self.order, Self.message])
        #expect(upgrade.session.side == .legacy)
    }

    @Test func `a unit with a call under way stays, with all that waits`() async throws {
        let upgrade = try upgrade()
        let gate = TestGate()
        upgrade.legacy.respond { id in
            await gate.pass()
            return Animal(id: id, name: "")
        }
        let call = Task { try await upgrade.call(.read) }
        await until { gate.arrivals == 1 }
        let outbox = ScriptedOutbox([Self.order])
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .zero,
            outbox: outbox,
            clock: upgrade.clock
        )
        #expect(cutover == Cutover(outcome: .busy))
        #expect(outbox.log.entries.isEmpty)
        gate.open()
        try await call.value
    }

    /// The changes that take the unit back to the legacy side.
    enum WayBack: CaseIterable {
        case abort, kill

        func apply(to control: StageControl) {
            switch self {
            case .abort: try? control.move(to: .legacyOnly)
            case .kill: control.kill(KillSwitch(.legacy, by: "amara", reason: "users complain"))
            }
        }
    }

    @Test(arguments: WayBack.allCases, [true, false])
    func `a stage that goes back before the unit has crossed over leaves it its outbox`(
        back: WayBack,
        whileDraining: Bool
    ) async throws {
        let upgrade = try upgrade()
        let control = upgrade.control
        let outbox = ScriptedOutbox([Self.order, Self.message]) { _ in
            if whileDraining { back.apply(to: control) }
        }
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .seconds(5),
            outbox: outbox,
            clock: upgrade.clock
        ) { _ in
            if !whileDraining { back.apply(to: control) }
            return true
        }
        #expect(cutover == Cutover(outcome: .busy))
        #expect(outbox.log.entries == ["drain"])
        #expect(try await outbox.waiting() == [Self.order, Self.message])
        #expect(upgrade.session.side == .legacy)
    }

    @Test func `a unit that was taken back keeps what waits on the other side if the stage goes on meanwhile`()
        async throws
    {
        let upgrade = try ZooUpgrade(.candidateOnly)
        try upgrade.control.move(to: .legacyOnly)
        #expect(upgrade.session.side == .legacy)
        let outbox = ScriptedOutbox([Self.order]) { [control = upgrade.control] _ in
            try control.move(to: .candidateOnly)
        }
        let cutover = try await upgrade.session.cutOver(
            from: .candidate,
            within: .seconds(5),
            outbox: outbox,
            clock: upgrade.clock
        )
        #expect(cutover == Cutover(outcome: .busy))
        #expect(outbox.log.entries == ["drain"])
        #expect(upgrade.session.side == .legacy)
    }

    @Test func `a drain or an export that fails loses nothing`() async throws {
        let upgrade = try upgrade()
        let outbox = ScriptedOutbox(
            [Self.order],
            drains: { _ in throw TestError("drain") },
            exports: { throw TestError("export") }
        )
        let cutover = try await upgrade.session.cutOver(
            from: .legacy,
            within: .seconds(1),
            outbox: outbox,
            clock: upgrade.clock
        )
        #expect(cutover == Cutover(outcome: .completed, kept: [Self.order]))
        #expect(try await outbox.waiting() == [Self.order])
    }
}
