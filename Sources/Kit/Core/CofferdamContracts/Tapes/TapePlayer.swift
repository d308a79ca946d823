public import Cofferdam  // for TapeError

/// Answers calls from a tape.
///
/// A call gets the first unused entry with its operation and arguments: identical calls are answered in the order in
/// which they were recorded, different ones in any order.
public final class TapePlayer: Sendable {
    private struct State {
        var isUsed: [Bool]
        /// For each operation, how many of its entries, from the first one on, have been used.
        var usedUpTo: [String: Int] = [:]
        var problems: [TapeError] = []
        /// Calls that are answered once those entries have been used.
        var held: [(until: [Int], complete: @Sendable (Result<Void, any Error>) -> Void)] = []

        /// Removes and returns the held calls that need not wait any longer.
        mutating func released() -> [@Sendable (Result<Void, any Error>) -> Void] {
            let ready = held.filter { $0.until.allSatisfy { isUsed[$0] } }
            held.removeAll { $0.until.allSatisfy { isUsed[$0] } }
            return ready.map(\.complete)
        }

        mutating func use(_ index: Int, of operation: String, among all: [Int]) {
            isUsed[index] = true
            var end = usedUpTo[operation] ?? 0
            while end < all.count, isUsed[all[end]] { end += 1 }
            usedUpTo[operation] = end
        }
    }

    private let tape: Tape
    /// The entries of each operation, in their order.
    private let entries: [String: [Int]]
    private let redaction: TapeRedaction
    let pace: TapePace
    private let state: Mutex<State>

    /// Creates a player of a tape.
    ///
    /// - Parameters:
    ///   - redaction: the redaction of the recording. The fields and types that the tape lists are redacted in any
    ///     case. A secret must have the same name, and the value that the calls contain now.
    /// - Throws: `TapeError` with `secret` if the tape was recorded with a secret that `redaction` does not name.
    public init(
        _ tape: Tape,
        redaction: TapeRedaction = TapeRedaction(),
        pace: TapePace = .immediate
    ) throws(TapeError) {
        self.redaction = try redaction.joined(by: tape)
        self.tape = tape
        entries = Dictionary(grouping: tape.entries.indices) { tape.entries[$0].operation }
        self.pace = pace
        state = Mutex(State(isUsed: [Bool](repeating: false, count: tape.entries.count)))
    }

    /// Returns a port that answers from the tape calls that are in no table, such as those of a test's harness. For a
    /// port with a table, use ``source(of:as:errors:)``.
    ///
    /// - Parameter errors: how the port's errors are recorded.
    public func port<Port: Sendable>(
        of type: Port.Type = Port.self,
        errors: (any TapeErrorRecord.Type)? = nil
    ) -> TapedPort<Port> {
        TapedPort(.replaying(self), errors: errors)
    }

    /// What has gone wrong so far: calls that the tape did not have, including those whose error was caught.
    package var problems: [TapeError] { state.withLock { $0.problems } }

    /// The recorded calls that have not been made yet, as "entry 3: place".
    package var unused: [String] {
        let isUsed = state.withLock { $0.isUsed }
        return tape.entries.indices.filter { !isUsed[$0] }.map { name(of: $0) }
    }

    /// Ends the replay; call it after the last call.
    ///
    /// - Throws: the replay's first problem; a `TapeError` with the code `unused` if an entry was not replayed, unless
    ///   `allowingUnused`.
    public func finish(allowingUnused: Bool = false) throws(TapeError) {
        if let problem = problems.first { throw problem }
        let unused = allowingUnused ? [] : unused
        guard unused.isEmpty else {
            throw TapeError(.unused, "recorded and not called: \(unused.joined(separator: ", "))", subject: tape.title)
        }
    }
}

/// How fast a tape is replayed.
public enum TapePace: Sendable {
    /// Without any waiting.
    case immediate
    /// No faster than the order allows: a call is answered once every call that was in progress at the same time has
    /// begun. It suits a test that holds a call up and observes others. A program that makes other calls than the
    /// recorded ones waits until it is cancelled.
    case inOrder
    /// Calls take as long, and items of streams arrive as late, as when they were recorded.
    case recorded(on: any Clock<Duration>)
}

extension TapePlayer {
    /// Returns the entry that answers a call, and marks it as used.
    func take(
        _ operation: String,
        _ kind: TapeCallKind,
        _ arguments: TapeArguments,
        isStream: Bool
    ) throws(TapeError) -> TapeEntry {
        let value: TapeValue
        do { value = try redaction.apply(to: arguments, at: TapePath(operation, "arguments")) } catch {
            let text = "the arguments cannot be encoded: \(redaction.apply(to: "\(error)"))"
            throw reported(TapeError(.unmatched, text, subject: redaction.apply(to: operation)))
        }
        let name = redaction.apply(to: operation)
        func isCandidate(_ index: Int) -> Bool { (tape.entries[index].items != nil) == isStream }
        func matches(_ index: Int) -> Bool {
            let entry = tape.entries[index]
            return isCandidate(index)
                && (entry.arguments == value || kind == .looseRead && entry.kind == .looseRead)
        }
        let all = entries[name] ?? []
        let (index, isUsed, released) = state.withLock { state in
            let index = all[(state.usedUpTo[name] ?? 0)...].first { !state.isUsed[$0] && matches($0) }
            if let index { state.use(index, of: name, among: all) }
            return (index, state.isUsed, state.held.isEmpty ? [] : state.released())
        }
        for complete in released { complete(.success(())) }
        if let index { return tape.entries[index] }
        let candidates = all.filter(isCandidate)
        let matching = candidates.filter(matches)
        guard matching.isEmpty else {
            let times = matching.count == 1 ? "once" : "\(matching.count) times"
            throw reported(TapeError(.exhausted, "recorded \(times), and called once more", subject: name))
        }
        let unused = candidates.filter { !isUsed[$0] }
        throw reported(unmatched(name, value, nearestOf: unused.isEmpty ? candidates : unused))
    }

    /// Waits until every call that overlapped the entry's has begun here too.
    func waitForOverlappingCalls(with entry: TapeEntry) async throws {
        let begun = tape.entries.indices.filter { tape.entries[$0].overlaps(entry) }
        try await vendorCall { (complete: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            let isReady = state.withLock { state in
                if begun.allSatisfy({ state.isUsed[$0] }) { return true }
                state.held.append((begun, complete))
                return false
            }
            if isReady { complete(.success(())) }
            return .none
        }
    }

    /// Keeps the error for ``finish(allowingUnused:)``: the caller may catch the error.
    private func reported(_ error: TapeError) -> TapeError {
        state.withLock { $0.problems.append(error) }
        return error
    }

    private func unmatched(_ operation: String, _ arguments: TapeValue, nearestOf candidates: [Int]) -> TapeError {
        let misses = candidates.map { index in
            let recorded = tape.entries[index].arguments
            return (index, TapeDifference.between(recorded, arguments, at: TapePath(["arguments"])))
        }
        guard let (index, differences) = misses.min(by: { $0.1.count < $1.1.count }) else {
            let operations = Set(tape.operations).sorted().joined(separator: ", ")
            let text = operations.isEmpty ? "the tape is empty" : "the tape has no such call; it has: \(operations)"
            return TapeError(.unmatched, text, subject: operation)
        }
        let shown = differences.prefix(10).map(\.description).joined(separator: "; ")
        let more = differences.count > 10 ? "; and \(differences.count - 10) more" : ""
        return TapeError(
            .unmatched,
            "not recorded with these arguments; the nearest is \(name(of: index)): \(shown)\(more)",
            subject: operation
        )
    }

    private func name(of index: Int) -> String { "entry \(index + 1): \(tape.entries[index].operation)" }
}
