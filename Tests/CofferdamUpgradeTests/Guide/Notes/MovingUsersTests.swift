import Cofferdam
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@Suite struct MovingUsersTests {
    private static let note = OutboxEntry(key: "note", canBeExported: true, summary: "a note")
    private static let drawing = OutboxEntry(key: "drawing", canBeExported: false, summary: "a drawing")

    private let v1 = NoteServer()
    private let v2 = NoteServer()
    private let control = StageControl()
    private let session: UnitSession

    init() throws {
        session = UnitSession(unit: "amara", control: control, bucketing: try Bucketing(salt: "notes"))
        try control.move(to: .candidateOnly)
    }

    @Test func `the guide's user moves once nothing would be lost, with the notes that can follow`() async throws {
        v1.setReachable(false)
        let offline = UnsentNotes([Self.note, Self.drawing], v1: v1, v2: v2)
        let refused = try await move(session, offline)
        #expect(refused.outcome == .wouldLose && refused.lost == [Self.drawing])
        #expect(session.side == .legacy)

        let exported = try await move(session, UnsentNotes([Self.note], v1: v1, v2: v2))
        #expect(exported.outcome == .completed && exported.exported == [Self.note])
        #expect(session.side == .candidate && v2.received == ["note"])
    }

    @Test func `the guide's user moves after the outbox is empty`() async throws {
        let moved = try await move(session, UnsentNotes([Self.note, Self.drawing], v1: v1, v2: v2))
        #expect(moved.outcome == .completed && moved.sent == 2)
        #expect(session.side == .candidate && v1.received == ["note", "drawing"])
    }

    @Test func `the guide's settings keep reads and writes together, and its guard forwards what it hears`() {
        let recorder = EvidenceRecorder()
        let settings = notesSettings(memory: TransientUnitMemory(), observer: guarded(recorder, control))
        #expect(settings.dataOwnership == .separate)
        settings.observer?.compared(
            ShadowComparison(
                capability: "notes",
                operation: "read",
                stage: .legacyOnly,
                epoch: 0,
                unit: "amara",
                outcome: .match
            )
        )
        #expect(recorder.reading(afterSeconds: 0).metrics[.comparison.includingOpenWindows]?.total == 1)
    }

    @Test func `every block of the guide is the code that is tested`() throws {
        let guide = try Guide(
            "Sources/Kit/Upgrade/CofferdamUpgrade/CofferdamUpgrade.docc/MovingUsers.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        #expect(Set(guide.blocks.map(\.name)) == Set(guide.snippets.keys))
        #expect(guide.blocks.count == guide.snippets.count)
        for block in guide.blocks {
            #expect(block.text == guide.snippets[block.name], "the guide's block \(block.name)")
        }
    }
}
