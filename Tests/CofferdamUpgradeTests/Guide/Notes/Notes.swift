import Cofferdam
import CofferdamUpgrade

// snippet: ownership
/// V1 and V2 keep notes on servers of their own.
func notesSettings(memory: any UnitMemory, observer: any RouteObserver) -> RouteSettings {
    RouteSettings(
        capability: "notes",
        dataOwnership: .separate,
        failures: ErrorClassifier(meaning: { _ in .failed }),
        memory: memory,
        observer: observer
    )
}
// end

// snippet: outbox
/// Notes that were written offline and wait to be sent by V1.
actor UnsentNotes: Outbox {
    private var notes: [OutboxEntry]
    private let v1: NoteServer
    private let v2: NoteServer

    init(_ notes: [OutboxEntry], v1: NoteServer, v2: NoteServer) {
        (self.notes, self.v1, self.v2) = (notes, v1, v2)
    }

    func waiting() -> [OutboxEntry] { notes }

    func drain() async throws {
        while let note = notes.first {
            try await v1.send(note.key)
            discard([note.key])
        }
    }

    func export(_ keys: [String]) async throws {
        for key in keys { try await v2.send(key) }
        discard(keys)
    }

    func discard(_ keys: [String]) { notes.removeAll { keys.contains($0.key) } }
}
// end

// snippet: cutover
/// Moves a user to the side that the stage wants, with what V1 has not sent.
func move(_ session: UnitSession, _ notes: UnsentNotes) async throws -> Cutover {
    try await session.cutOver(from: .legacy, within: .seconds(10), outbox: notes) { lost in
        print("The user would lose:", lost.map(\.summary))
        return false
    }
}
// end

// snippet: guard
/// Counts calls, and halves the shadow's sample if callers notice it.
func guarded(_ recorder: EvidenceRecorder, _ control: StageControl) -> SampleGuard {
    SampleGuard(
        control,
        throttled: ["rateLimited"],
        slowLimit: { operation in recorder.baseline?.slowLimit(of: operation) },
        next: recorder
    )
}
// end
