/// The pending changes of a loadable, as layers over its base: the last answer, or the last local write.
///
/// What is shown is the fold. An answer replaces the base, and the layers stay on top. A layer that the server refuses
/// goes. One that it confirms stays until an answer whose load began later, since only that one must contain the change.
struct PendingChanges: Sendable {
    typealias Apply = @Sendable (ErasedContents?) -> ErasedContents

    private struct Layer: Sendable {
        let number: Int
        var apply: Apply
        var confirmation: Confirmation?
    }

    private enum Confirmation: Sendable {
        /// The server has made the change. The layer goes with the answer of a run after that one.
        case made(before: Int)
        /// The server said what it made of it. The layer becomes part of the next base.
        case known
    }

    var base: ErasedContents?
    private var layers: [Layer] = []

    init(base: ErasedContents?) { self.base = base }

    var isEmpty: Bool { layers.isEmpty }

    var shown: ErasedContents? { layers.reduce(base) { $1.apply($0) } }

    func contains(_ number: Int) -> Bool { layers.contains { $0.number == number && $0.confirmation == nil } }

    mutating func add(_ apply: @escaping Apply, as number: Int) { layers.append(Layer(number: number, apply: apply)) }

    mutating func takeBack(_ number: Int) { layers.removeAll { $0.number == number } }

    /// - Parameters:
    ///   - current: the run in progress, which may answer without the change.
    ///   - last: the last run that has begun.
    mutating func confirm(_ number: Int, as known: Apply?, current: Int?, last: Int) {
        guard let place = layers.firstIndex(where: { $0.number == number }) else { return }
        guard let known else {
            layers[place].confirmation = .made(before: last)
            return
        }
        if current == nil {
            layers.remove(at: place)
            base = known(base)
        } else {
            (layers[place].apply, layers[place].confirmation) = (known, .known)
        }
    }

    /// - Parameters:
    ///   - isLocal: whether the app wrote it, so that it says nothing about the server.
    ///   - run: the run that answers.
    mutating func setBase(_ base: ErasedContents?, isLocal: Bool, of run: Int) {
        self.base = base
        guard !isLocal else { return }
        layers.removeAll { layer in
            switch layer.confirmation {
            case nil: return false
            case .made(let last): return run > last
            case .known:
                self.base = layer.apply(self.base)
                return true
            }
        }
    }
}
