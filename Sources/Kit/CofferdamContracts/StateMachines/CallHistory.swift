/// Calls that overlapped, with the order in which they began and ended.
package struct CallHistory<Command: Sendable & Hashable, Answer: Sendable & Hashable>: Sendable, Hashable {
    package struct Call: Sendable, Hashable {
        package let command: Command
        /// Nil: it has not ended, and may have been carried out or not.
        package let answer: Answer?
        /// Its beginning's place among all beginnings and ends.
        package let began: Int
        /// Its end's place; nil: it has not ended.
        package let ended: Int?

        package init(_ command: Command, answer: Answer?, began: Int, ended: Int?) {
            self.command = command
            self.answer = answer
            self.began = began
            self.ended = ended
        }
    }

    var calls: [Call]

    package init(_ calls: [Call]) { self.calls = calls }

    /// An order of the calls, one after the other, in which each is answered as it was, and which puts no call before one
    /// that had ended when it began; nil if there is none, and the history is not linearizable.
    ///
    /// The search of Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with Lowe's memory of states that
    /// led nowhere. It is exponential: for a dozen calls, not for hundreds.
    package func linearization<State: Hashable>(
        from initial: State,
        answer: @escaping (_ to: Command, _ in: inout State) -> Answer
    ) -> [Call]? {
        var search = Search(calls: calls, isDone: calls.map { _ in false }, answer: answer)
        return search.finish(from: initial) ? search.order.map { calls[$0] } : nil
    }

    private struct Search<State: Hashable> {
        private struct Dead: Hashable {
            let isDone: [Bool]
            let state: State
        }

        let calls: [Call]
        var isDone: [Bool]
        let answer: (Command, inout State) -> Answer
        private(set) var order: [Int] = []
        private var dead: Set<Dead> = []

        init(calls: [Call], isDone: [Bool], answer: @escaping (Command, inout State) -> Answer) {
            self.calls = calls
            self.isDone = isDone
            self.answer = answer
        }

        /// Whether the calls that are left can be put in order from that state on.
        mutating func finish(from state: State) -> Bool {
            let left = calls.indices.filter { !isDone[$0] }
            // What has not ended need not have happened.
            guard left.contains(where: { calls[$0].answer != nil }) else { return true }
            let place = Dead(isDone: isDone, state: state)
            guard !dead.contains(place) else { return false }
            let firstEnd = left.compactMap { calls[$0].ended }.min() ?? .max
            for index in left where calls[index].began < firstEnd {
                var next = state
                let expected = answer(calls[index].command, &next)
                guard calls[index].answer == nil || calls[index].answer == expected else { continue }
                isDone[index] = true
                order.append(index)
                if finish(from: next) { return true }
                order.removeLast()
                isDone[index] = false
            }
            dead.insert(place)
            return false
        }
    }
}

extension CallHistory: CustomStringConvertible {
    package var description: String {
        calls.sorted { $0.began < $1.began }.map { call in
            let end = call.ended.map { "\($0)" } ?? "…"
            return "[\(call.began)–\(end)] \(call.command) → \(call.answer.map { "\($0)" } ?? "no answer")"
        }.joined(separator: "; ")
    }
}
