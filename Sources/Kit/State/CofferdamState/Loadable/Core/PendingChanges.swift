/// Changes that are shown before the server has confirmed them, in their order.
package struct PendingLayers<Change: Sendable>: Sendable {
    package struct Layer: Sendable {
        package let number: Int
        package var change: Change
        package var confirmation: Confirmation?

        var isKnown: Bool { if case .known = confirmation { true } else { false } }
    }

    package enum Confirmation: Sendable {
        /// The server has made the change. The layer goes with the answer of a load after that one.
        case made(before: Int)
        /// The server said what it made of it. The layer becomes part of the base with the answer of that load, or when
        /// that load ends without one. The answer of a later load contains it.
        case known(before: Int)
    }

    package private(set) var layers: [Layer] = []

    package init() {}

    package var isEmpty: Bool { layers.isEmpty }

    package func contains(_ number: Int) -> Bool {
        layers.contains { $0.number == number && $0.confirmation == nil }
    }

    package mutating func add(_ change: Change, as number: Int) {
        layers.append(Layer(number: number, change: change))
    }

    package mutating func takeBack(_ number: Int) { layers.removeAll { $0.number == number } }

    /// - Parameter change: takes the place of the layer's change; nil leaves it.
    package mutating func confirm(_ number: Int, _ confirmation: Confirmation, as change: Change? = nil) {
        guard let place = layers.firstIndex(where: { $0.number == number }) else { return }
        layers[place].confirmation = confirmation
        if let change { layers[place].change = change }
    }

    package mutating func removeAll(where isSettled: (Layer) -> Bool) { layers.removeAll(where: isSettled) }
}

/// The pending changes of a loadable, as layers over its base: the last answer, or the last local write.
///
/// What is shown is the fold. An answer replaces the base, and the layers stay on top. A layer that the server refuses
/// goes. One that it confirms stays until an answer whose load began later, since only that one must contain the change.
struct PendingChanges: Sendable {
    typealias Apply = @Sendable (ErasedContents?) -> ErasedContents

    var base: ErasedContents?
    private var pending = PendingLayers<Apply>()

    init(base: ErasedContents?) { self.base = base }

    var isEmpty: Bool { pending.isEmpty }

    var shown: ErasedContents? { pending.layers.reduce(base) { $1.change($0) } }

    func contains(_ number: Int) -> Bool { pending.contains(number) }

    mutating func add(_ apply: @escaping Apply, as number: Int) { pending.add(apply, as: number) }

    mutating func takeBack(_ number: Int) { pending.takeBack(number) }

    /// - Parameters:
    ///   - current: the run in progress, which may answer without the change.
    ///   - last: the last run that has begun.
    mutating func confirm(_ number: Int, as known: Apply?, current: Int?, last: Int) {
        guard let known else { return pending.confirm(number, .made(before: last)) }
        if current == nil {
            pending.takeBack(number)
            base = known(base)
        } else {
            pending.confirm(number, .known(before: last), as: known)
        }
    }

    /// - Parameters:
    ///   - isLocal: whether the app wrote it, so that it says nothing about the server.
    ///   - run: the run that answers.
    mutating func setBase(_ base: ErasedContents?, isLocal: Bool, of run: Int) {
        self.base = base
        guard !isLocal else { return }
        pending.removeAll { layer in
            switch layer.confirmation {
            case nil: return false
            case .made(let last): return run > last
            case .known(let last):
                if run == last { self.base = layer.change(self.base) }
                return run >= last
            }
        }
    }

    /// Whether a load in progress may overwrite what the server made of a change.
    var awaitsRun: Bool { pending.layers.contains(where: \.isKnown) }

    /// Adds what the server made of changes to the base: no answer can overwrite it any more.
    mutating func endRun() {
        for layer in pending.layers where layer.isKnown { base = layer.change(base) }
        pending.removeAll(where: \.isKnown)
    }
}
