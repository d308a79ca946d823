import AllocatedBytes
import CofferdamUpgrade

/// What the evidence weighs, and how long the gate looks at it, after many units: neither grows with them.
func evidenceRows() throws -> [Measurement] {
    let stage = Stage.shadow(sample: .all)
    let operations = ["animal", "search", "feed", "rename"]
    let baseline = LegacyBaseline(
        units: FailureCounts(0, of: 10_000),
        operations: Dictionary(
            uniqueKeysWithValues: operations.map {
                ($0, .init(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1_000))
            }
        )
    )
    let recorder = EvidenceRecorder(StageState(stage: stage, epoch: 1))
    let before = allocated_bytes()
    func grow(_ units: Range<Int>) -> Double {
        for index in units {
            let unit = "unit \(index)"
            for operation in operations {
                recorder.compared(
                    ShadowComparison(
                        capability: "zoo",
                        operation: operation,
                        stage: stage,
                        epoch: 1,
                        unit: unit,
                        outcome: .match
                    )
                )
            }
            recorder.sessionEnded(of: unit)
        }
        return Double(allocated_bytes() - before)
    }
    let few = grow(0..<100_000)
    let readingOfFew = recorder.reading(afterSeconds: 60)
    let many = grow(100_000..<1_000_000)
    let plan = try UpgradePlan([.legacyOnly, stage, .candidateOnly], against: baseline)
    let gate = try plan.gate(at: stage)
    let readingOfMany = recorder.reading(afterSeconds: 60)
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
        Measurement(
            name: "evidence.bytes",
            value: many,
            unit: "bytes after 1,000,000 units",
            base: "100,000 units",
            ratio: many / few,
            samples: 1
        ),
        Measurement(
            name: "evidence.bytesPerUnit",
            value: few / 100_000,
            unit: "bytes for each of 100,000 units, of four operations",
            base: "a key and its bits: 16 bytes",
            ratio: few / 100_000 / 16,
            samples: 1
        ),
        decision,
    ]
}
