import AllocatedBytes
import CofferdamUpgrade
import Foundation

/// Measures the size of the evidence, and the time of the gate's decision, after many units.
struct EvidenceRows {
    private static let stage = Stage.shadow(sample: .all)
    private static let operations = ["animal", "search", "feed", "rename"]
    private static let capability = "zoo"
    private static let fewUnits = 100_000
    private static let manyUnits = 1_000_000

    func measure() async throws -> [Measurement] { try inMemory() + [try await onDisk()] }

    private var baseline: LegacyBaseline {
        let calls = LegacyBaseline.Operation(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1_000)
        let operations = Dictionary(uniqueKeysWithValues: Self.operations.map { ($0, calls) })
        return LegacyBaseline(units: FailureCounts(0, of: 10_000), operations: operations)
    }

    private func plan() throws -> UpgradePlan {
        try UpgradePlan([.legacyOnly, Self.stage, .candidateOnly], against: baseline)
    }

    /// Counts one comparison of each unit in each operation.
    private func count(_ units: Range<Int>, in recorder: EvidenceRecorder, epoch: Int) {
        for index in units {
            let unit = "unit \(index)"
            for operation in Self.operations {
                recorder.compared(
                    ShadowComparison(
                        capability: Self.capability,
                        operation: operation,
                        stage: Self.stage,
                        epoch: epoch,
                        unit: unit,
                        outcome: .match
                    )
                )
            }
            recorder.sessionEnded(of: unit)
        }
    }

    private func inMemory() throws -> [Measurement] {
        let recorder = EvidenceRecorder(StageState(stage: Self.stage, epoch: 1))
        let before = allocated_bytes()
        count(0..<Self.fewUnits, in: recorder, epoch: 1)
        let few = Double(allocated_bytes() - before)
        let readingOfFew = recorder.reading(afterSeconds: 60)
        count(Self.fewUnits..<Self.manyUnits, in: recorder, epoch: 1)
        let many = Double(allocated_bytes() - before)
        let readingOfMany = recorder.reading(afterSeconds: 60)
        let gate = try plan().gate(at: Self.stage)
        var verdicts = 0
        var decision = try Measurement.interleaved(
            "gate.decision",
            against: "decision over 100,000 units",
            rounds: 20,
            by: .minimum,
            ours: { for _ in 0..<1_000 { verdicts += gate.decide(readingOfMany).verdict == .hold ? 1 : 0 } },
            theirs: { for _ in 0..<1_000 { verdicts += gate.decide(readingOfFew).verdict == .hold ? 1 : 0 } }
        )
        // Milliseconds for a thousand decisions.
        (decision.unit, decision.base) = ("µs a decision over 1,000,000 units", "one over 100,000")
        guard verdicts >= 0 else { throw RouteFailure() }
        return [
            Self.weight("evidence.memory", many / Double(Self.manyUnits), of: Self.manyUnits),
            Self.weight("evidence.memory.few", few / Double(Self.fewUnits), of: Self.fewUnits),
            decision,
        ]
    }

    /// Measures the evidence on disk, saved as an engine saves it: every second, what was counted since the last save.
    private func onDisk() async throws -> Measurement {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await save(in: folder.path())
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        // SQLite removes its log when the last connection closes, perhaps just now.
        let bytes = files.reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
        return Self.weight("evidence.disk", Double(bytes) / Double(Self.fewUnits), of: Self.fewUnits)
    }

    private func save(in folder: String) async throws {
        let plan = try plan()
        let store = MemoryUpgradeStore()
        let request = UpgradeRequest(.advance(), by: "bench", reason: "bench", at: 1, id: "1", baseline: baseline)
        let state = try await store.carryOut(request, for: Self.capability, plan: plan).state
        let recorder = EvidenceRecorder()
        let log = try SQLiteUpgradeLog(path: folder + "/log.sqlite")
        let engine = UpgradeEngine(
            Self.capability,
            plan: plan,
            store: store,
            control: StageControl(),
            recorder: recorder
        ) { $0.ledger = log }
        await engine.start()
        for first in stride(from: 0, to: Self.fewUnits, by: 10_000) {
            count(first..<first + 10_000, in: recorder, epoch: state.epoch)
            await engine.save()
        }
        guard recorder.reading(afterSeconds: 60).metrics[.comparison]?.total == Self.fewUnits else {
            throw RouteFailure()
        }
    }

    private static func weight(_ name: String, _ bytes: Double, of units: Int) -> Measurement {
        Measurement(
            name: name,
            value: bytes,
            unit: "bytes a unit of four operations, of \(units)",
            base: "a key and its bits: 16 bytes",
            ratio: bytes / 16,
            samples: 1
        )
    }
}
