import Cofferdam
import CofferdamSupport
import CofferdamState
import CofferdamStore
import Testing
import TestSupport

/// Checks random programs of pending changes, answers of earlier and later loads, confirmations, refusals and local
/// changes against a model.
@Suite struct PendingProgramTests {
    @Test(arguments: Soak.seeds, [Store.Retention.everything, .observed])
    func `what is shown is what the model shows`(block: UInt64, _ retention: Store.Retention) async {
        let wrong = await onOwnThread { () -> String? in
            for seed in block * 1_000..<(block + 1) * 1_000 {
                if let wrong = PendingProgram(seed, retention).run() { return "\(wrong), with the seed \(seed)" }
            }
            return nil
        }
        #expect(wrong == nil)
    }
}

/// What a store with pending changes must show of some parts and a list of them.
private struct PendingModel {
    enum Change {
        case bit(Int, of: Int)
        case gone(Int), inserted(Int), hidden(Int)
        case known(Int, of: Int)

        func with(_ names: [Int: Int]) -> Change {
            switch self {
            case .bit(let bit, let id): .bit(bit, of: names[id] ?? id)
            case .gone(let id): .gone(names[id] ?? id)
            case .inserted(let id): .inserted(names[id] ?? id)
            case .hidden(let id): .hidden(names[id] ?? id)
            case .known(let value, let id): .known(value, of: names[id] ?? id)
            }
        }
    }

    struct Contents: Equatable {
        var parts: [Int: Int] = [:]
        var list: [Int] = []

        mutating func apply(_ change: Change, _ names: [Int: Int]) {
            switch change.with(names) {
            case .bit(let bit, let id): parts[id] = parts[id].map { $0 | bit }
            case .known(let value, let id): parts[id] = value
            case .gone(let id): (parts[id], list) = (nil, list.filter { $0 != id })
            case .hidden(let id): list.removeAll { $0 == id }
            case .inserted(let id):
                parts[id] = parts[id] ?? 0
                if !list.contains(id) { list.append(id) }
            }
        }
    }

    var base = Contents()
    var layers: [(key: Int, change: Change, target: Int?, confirmedAt: Int?, isKnown: Bool)] = []
    /// Ids that have become others.
    var names: [Int: Int] = [:]
    var shown: Contents { layers.reduce(into: base) { $0.apply($1.change, names) } }

    func name(_ id: Int) -> Int { names[id] ?? id }

    mutating func rename(_ old: Int, to new: Int) {
        if base.parts[new] == nil { base.parts[new] = base.parts[old] }
        base.parts[old] = nil
        if base.list.contains(new) { base.list.removeAll { $0 == old } }
        base.list = base.list.map { $0 == old ? new : $0 }
        for (earlier, name) in names where name == old { names[earlier] = new }
        names[old] = new
    }

    /// - Parameter answered: the targets that the answer of a load sets, nil for the list.
    mutating func settle(_ answered: Set<Int?>, began: Int?, inFlight: [Int]) {
        let names = names
        layers.removeAll { layer in
            guard let last = layer.confirmedAt else { return false }
            if let began, began >= last, answered.contains(layer.target.map { names[$0] ?? $0 }) { return true }
            guard layer.isKnown, !inFlight.contains(where: { $0 < last }) else { return false }
            base.apply(layer.change, names)
            return true
        }
    }
}

private final class PendingProgram {
    private static let ids = 0..<5
    private let store: Store
    private let list: StoreCollection<Part>
    private var model = PendingModel()
    private var random: SplitMix64
    private var time = 0
    private var key = 0
    private var writes: [(key: Int, write: OptimisticWrite)] = []
    private var loads: [(load: StoreLoad, began: Int)] = []
    private let steps = Steps()
    private var tokens: [StoreListenerToken] = []

    private final class Steps: Sendable {
        let state = Mutex<(elements: [Part], isWrong: Bool)>(([], false))
        let heard = Mutex<[Int: Part]>([:])
    }

    init(_ seed: UInt64, _ retention: Store.Retention) {
        store = Store(retention: retention)
        list = StoreCollection(in: store)
        random = SplitMix64(seed: seed)
        tokens = Self.ids.map { id in
            store.listen(Part.self, id: id) { [steps] event in steps.heard.withLock { $0[id] = event.value } }
        }
        tokens.append(store.listen(Box.self, id: 0) { _ in })
        // With a retention of what is observed, after the listening.
        store.set(Box(id: 0, part: Part(id: 0, value: 1)))
        model.base.parts[0] = 1
        tokens.append(
            list.listen { [steps] event in
                steps.state.withLock { state in
                    if !Self.leads(event.value, from: &state.elements) { state.isWrong = true }
                }
            }
        )
    }

    /// Whether the steps lead to the elements, and something has changed.
    private static func leads(_ state: CollectionState<Part>, from old: inout [Part]) -> Bool {
        var elements = old.map(\.id)
        defer { old = Array(state.elements) }
        guard case .steps(let steps) = state.change else { return true }
        for step in steps {
            switch step {
            case .insert(let index): elements.insert(-1, at: index)
            case .remove(let index): elements.remove(at: index)
            case .update(let index): elements[index] = -1
            }
        }
        let isSame = zip(elements, state.elements).allSatisfy { $0 == -1 || $0 == $1.id }
        return isSame && elements.count == state.elements.count && old != Array(state.elements)
    }

    /// - Returns: what is wrong; nil if nothing is.
    func run() -> String? {
        for step in 0..<Int.random(in: 4...30, using: &random) {
            let happening = perform()
            time += 1
            let shown = model.shown
            for id in Self.ids {
                let name = model.name(id)
                let got = store.model(Part.self, id: id)
                if got != shown.parts[name].map({ Part(id: name, value: $0) }) {
                    return "\(happening) at \(step): \(id) is \(String(describing: got)), not \(shown)"
                }
                if steps.heard.withLock({ $0[id] }) != got { return "\(happening) at \(step): \(id) was not heard of" }
            }
            if list.elements.map(\.id) != shown.list {
                return "\(happening) at \(step): \(list.elements), not \(shown)"
            }
            if !list.elements.allSatisfy({ $0.value == shown.parts[$0.id] }) { return "\(happening): another element" }
            let box = store.model(Box.self, id: 0)
            if let box, box.part.value != shown.parts[model.name(0)] || box.part.id != model.name(0) {
                return "\(happening) at \(step): another box"
            }
            if steps.state.withLock({ $0.isWrong }) { return "\(happening) at \(step): steps" }
        }
        for (_, write) in writes { write.rollBack() }
        return steps.state.withLock { $0.isWrong } ? "steps at the end" : nil
    }

    private func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private func perform() -> String {
        let (id, value) = (roll(Self.ids.count), 256 + roll(4))
        let name = model.name(id)
        switch roll(21) / 2 {
        case 0:
            store.set(Part(id: id, value: value))
            return settled("set") { $0.parts[name] = value }
        case 1:
            store.remove(Part.self, id: id)
            return settled("remove") { $0.apply(.gone(name), [:]) }
        case 10:
            // A new id, or another part's.
            let new = roll(2) == 0 ? model.name(roll(Self.ids.count)) : Self.ids.count + time
            guard new != name else { return "nothing" }
            store.rename(Part.self, from: id, to: new)
            model.rename(name, to: new)
            return settled("\(id) renamed to \(new)")
        case 2:
            loads.append((store.beginLoad(), time))
            return "load"
        case 3, 4: return answer(id, value)
        case 5: return add(.gone(id), id, store.changeOptimistically(Part.self, id: id) { _ in nil })
        case 6: return add(.inserted(id), nil, list.insertOptimistically(Part(id: id, value: 0)))
        case 7: return add(.hidden(id), nil, list.removeOptimistically(id: id))
        case 8:
            let bit = 1 << (roll(6) + 1)
            let write = store.changeOptimistically(Part.self, id: id) { part in
                part.map { Part(id: id, value: $0.value | bit) }
            }
            return add(.bit(bit, of: id), id, write)
        default: return settle()
        }
    }

    private func settled(
        _ what: String,
        _ answered: Set<Int?> = [],
        began: Int? = nil,
        _ change: (inout PendingModel.Contents) -> Void = { _ in }
    ) -> String {
        change(&model.base)
        model.settle(answered, began: began, inFlight: loads.map(\.began))
        return what
    }

    private func answer(_ id: Int, _ value: Int) -> String {
        guard !loads.isEmpty else { return "nothing" }
        let place = roll(loads.count)
        let (load, began) = loads[place]
        defer { loads.remove(at: place) }
        guard roll(2) == 0 else {
            store.update(answering: load) { $0.set(Part(id: id, value: value)) }
            let name = model.name(id)
            return settled("answer", [name], began: began) { $0.parts[name] = value }
        }
        let ids = Set(Self.ids.map(model.name)).sorted().filter { _ in roll(2) == 0 }.shuffled(using: &random)
        store.update(answering: load) { $0.set(ids.map { Part(id: $0, value: value) }, in: list) }
        return settled("list", Set(ids.map { $0 } + [nil]), began: began) { contents in
            for id in ids { contents.parts[id] = value }
            contents.list = ids
        }
    }

    private func add(_ change: PendingModel.Change, _ target: Int?, _ write: OptimisticWrite) -> String {
        key += 1
        writes.append((key, write))
        model.layers.append((key, change, target, nil, false))
        return settled("\(change)")
    }

    private func settle() -> String {
        guard !writes.isEmpty else { return "nothing" }
        let (key, write) = writes.remove(at: roll(writes.count))
        guard let place = model.layers.firstIndex(where: { $0.key == key }) else { return "lost" }
        switch roll(3) {
        case 0:
            if !write.rollBack() { return "refused in vain" }
            model.layers.remove(at: place)
            return settled("refused")
        case 1:
            if !write.confirm() { return "confirmed in vain" }
            model.layers[place].confirmedAt = time
            return settled("confirmed")
        default:
            let id = model.layers[place].target ?? 0
            if !store.confirm(write, with: { $0.set(Part(id: id, value: 512)) }) { return "known in vain" }
            model.base.apply(.known(512, of: id), model.names)
            if loads.isEmpty {
                model.layers.remove(at: place)
            } else {
                model.layers[place].change = .known(512, of: id)
                (model.layers[place].confirmedAt, model.layers[place].isKnown) = (time, true)
            }
            return settled("known")
        }
    }
}
