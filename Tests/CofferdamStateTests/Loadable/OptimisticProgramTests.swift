import Cofferdam
import CofferdamSupport
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks random programs of loads, answers, optimistic writes, confirmations, refusals and local writes against a model.
@Suite struct OptimisticProgramTests {
    @Test(arguments: Soak.seeds)
    func `what is shown is what the model shows`(block: UInt64) async {
        let wrong = await onOwnThread { () -> String? in
            for seed in block * 1_000..<(block + 1) * 1_000 {
                if let wrong = OptimisticProgram().run(seed: seed) { return "\(wrong), with the seed \(seed)" }
            }
            return nil
        }
        #expect(wrong == nil)
    }
}

/// What a loadable with optimistic writes must show. The contents are bits: a write sets one, a confirmation with the
/// server's answer another one.
private struct OptimisticModel {
    var base: Int?
    var layers: [(bit: Int, confirmedAt: Int?, isKnown: Bool)] = []
    var run: (id: Int, writes: Int, epoch: Int)?
    var runs = 0, writes = 0, epoch = 0

    var shown: Int? { layers.reduce(base) { ($0 ?? 0) | 1 << $1.bit } }

    mutating func start(isForced: Bool) {
        if let run, !isForced, run.epoch == epoch { return }
        runs += 1
        run = (runs, writes, epoch)
    }

    mutating func answer(_ value: Int) {
        guard let ended = run else { return }
        guard ended.writes == writes else { return endRun() }
        base = layers.filter { $0.isKnown && $0.confirmedAt == ended.id }.reduce(value) { $0 | 1 << $1.bit }
        layers.removeAll { layer in layer.isKnown || layer.confirmedAt.map { ended.id > $0 } ?? false }
        run = nil
    }

    /// The run ends without an answer.
    mutating func endRun() {
        run = nil
        for layer in layers where layer.isKnown { base = (base ?? 0) | 1 << layer.bit }
        layers.removeAll(where: \.isKnown)
    }
}

private final class OptimisticProgram {
    private let executor = ManualExecutor()
    private let loads = HandLoads()
    private let loadable: Loadable<Int>
    private var writes: [(write: OptimisticWrite, bit: Int)] = []
    private var bits = 0
    private var model = OptimisticModel()

    init() { loadable = Loadable<Int>(executor: executor) { [loads] in try await loads.load() << 40 } }

    /// - Returns: what is wrong; nil if nothing is.
    func run(seed: UInt64) -> String? {
        var random = SplitMix64(seed: seed)
        for step in 0..<Int.random(in: 4...24, using: &random) {
            let happening = perform(&random)
            executor.drain()
            let snapshot = loadable.snapshot
            if snapshot.contents != model.shown {
                let (got, expected) = (snapshot.contents ?? -1, model.shown ?? -1)
                return "\(happening) at \(step): \(got), not \(expected)"
            }
            if snapshot.settledContents != model.base { return "\(happening) at \(step): another base" }
        }
        loadable.reset()
        while loads.waitingCount > 0 {
            loads.end(.success(()))
            executor.drain()
        }
        return nil
    }

    private func perform(_ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            model.start(isForced: false)
            call { try await $0.fetch() }
            return "fetch"
        case 2:
            model.start(isForced: true)
            call { try await $0.refetch() }
            return "refetch"
        case 3, 4:
            guard loads.waitingCount > 0 else { return "nothing" }
            loads.end(.success(()))
            model.answer(loads.count << 40)
            return "answer"
        case 5:
            guard loads.waitingCount > 0 else { return "nothing" }
            loads.end(.failure(TestError("failed")))
            model.endRun()
            return "failure"
        case 6:
            let value = Int.random(in: 0..<8, using: &random) << 36
            if Bool.random(using: &random) {
                loadable.set(value)
                (model.base, model.writes) = (value, model.writes + 1)
            } else {
                loadable.correct { $0 | value }
                model.base = model.base.map { $0 | value }
            }
            return "local write"
        case 7:
            loadable.invalidate()
            model.epoch += 1
            return "invalidate"
        case 8:
            guard Int.random(in: 0..<4, using: &random) == 0 else { return "nothing" }
            loadable.reset()
            (model.base, model.layers, model.run, model.writes) = (nil, [], nil, model.writes + 1)
            return "reset"
        case 9, 10:
            let bit = bits % 18
            bits += 1
            writes.append((loadable.writeOptimistically { ($0 ?? 0) | 1 << bit }, bit))
            model.layers.append((bit, nil, false))
            return "write"
        default:
            guard !writes.isEmpty else { return "nothing" }
            let (write, bit) = writes.remove(at: Int.random(in: writes.indices, using: &random))
            let place = model.layers.firstIndex { $0.bit == bit && $0.confirmedAt == nil && !$0.isKnown }
            return settle(write, bit, place, &random)
        }
    }

    private func settle(_ write: OptimisticWrite, _ bit: Int, _ place: Int?, _ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            guard write.rollBack(), let place else { return "late rollback" }
            model.layers.remove(at: place)
            return "rollback"
        case 1:
            guard write.confirm(), let place else { return "late confirmation" }
            model.layers[place].confirmedAt = model.runs
            model.epoch += 1
            return "confirmation"
        default:
            let isPending = loadable.confirm(write) { ($0 ?? 0) | 1 << (bit + 18) }
            guard isPending, let place else { return "late answer" }
            if model.run == nil {
                model.layers.remove(at: place)
                model.base = (model.base ?? 0) | 1 << (bit + 18)
            } else {
                model.layers[place] = (bit + 18, model.runs, true)
            }
            return "confirmation with an answer"
        }
    }

    private func call(_ fetch: @escaping @Sendable (Loadable<Int>) async throws -> Int) {
        _ = executor.task { [loadable] in _ = try? await fetch(loadable) }
    }
}
