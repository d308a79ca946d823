/// Overlapping calls, with the order in which they began and ended.
package struct CallHistory<Command: Sendable & Hashable, Answer: Sendable & Hashable>: Sendable, Hashable {
    package struct Call: Sendable, Hashable {
        package let command: Command
        /// Nil if the call has not ended; it may or may not have been carried out.
        package let answer: Answer?
        /// The position of the call's beginning among all beginnings and ends.
        package let began: Int
        /// The position of the call's end; nil if it has not ended.
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

    /// Returns a sequential order of the calls in which each has the answer that it was given, and which puts no call
    /// before one that had ended when it began. Nil if there is none: the history is not linearizable.
    ///
    /// Uses the search of Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with Lowe's cache of states
    /// that led nowhere. It takes exponential time: it suits a dozen calls, not hundreds.
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

        /// Whether the remaining calls can be put in order from that state on.
        mutating func finish(from state: State) -> Bool {
            let left = calls.indices.filter { !isDone[$0] }
            // A call that has not ended need not have taken effect.
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
