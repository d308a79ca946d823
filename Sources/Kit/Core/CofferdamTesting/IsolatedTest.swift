#if os(Linux)
import Cofferdam
import CofferdamContracts
import Testing

/// The parent's side: the rows of one adapter in one test, as its worker reports them. A worker that crashes or
/// hangs costs only the case that it is running; another worker continues after it.
final class IsolatedTest: Sendable {
    private typealias Case = ContractReport.Case
    private typealias Answer = Result<ContractReport.Row, any Error>

    private struct Key: Hashable {
        let test: Test.ID
        let adapter: String
    }

    private struct State {
        var answers: [ContractReport.Case: Answer] = [:]
        /// The cases whose answer has been asked for: asking for one again runs it again.
        var given: Set<ContractReport.Case> = []
        var waiting: [(id: ContractReport.Case, pass: @Sendable (Answer) -> Void)] = []
        /// The outcome of the cases that no worker has reached; nil while a worker may still reach them.
        var rest: ProcessEnded?
    }

    private static let all = Mutex<[Key: IsolatedTest]>([:])

    private let test: Test
    private let adapter: String
    private let state = Mutex(State())

    private init(_ test: Test, _ adapter: String) {
        self.test = test
        self.adapter = adapter
    }

    /// - Throws: an error that says how a case ended its process, or that it hung.
    static func row(of id: ContractReport.Case, in test: Test) async throws -> ContractReport.Row {
        let key = Key(test: test.id, adapter: id.adapter)
        let (entry, isNew) = all.withLock { all in
            if let entry = all[key], entry.state.withLock({ $0.given.insert(id).inserted }) {
                return (entry, false)
            }
            let entry = IsolatedTest(test, id.adapter)
            entry.state.withLock { _ = $0.given.insert(id) }
            all[key] = entry
            return (entry, true)
        }
        // This work is for all cases, not only for the one that happens to be first.
        if isNew { Task(executorPreference: nil) { await entry.work() } }
        return try await entry.answer(for: id).get()
    }

    private func answer(for id: ContractReport.Case) async -> Answer {
        await withCheckedContinuation { continuation in
            let answer: Answer? = state.withLock { state in
                if let answer = state.answers[id] { return answer }
                if let rest = state.rest { return .failure(rest) }
                state.waiting.append((id, { continuation.resume(returning: $0) }))
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func work() async {
        // The crash of a worker between two cases, as by a vendor's thread that outlived its case. The next case
        // reports it.
        var late: ProcessEnded?
        while true {
            var current: ContractReport.Case?
            var hasProgress = false
            do {
                let worker = try start()
                var limit: Duration?
                while true {
                    switch try WorkerLine.value(WorkerEvent.self, of: try await worker.next(within: limit)) {
                    case .began(let id, let seconds):
                        current = id
                        limit = .seconds(seconds)
                    case .ended(let id, let row):
                        let cancelled = ProcessEnded(isCrash: false, "it was cancelled")
                        settle(id, late.map(Answer.failure) ?? row.map(Answer.success) ?? .failure(cancelled))
                        (current, late, hasProgress) = (nil, nil, true)
                        limit = nil
                    }
                }
            } catch {
                if let current {
                    settle(current, .failure(error))
                } else if hasProgress, let end = error as? ProcessEnded, end.isCrash {
                    late = end
                } else {
                    return giveUp(late ?? error)
                }
            }
        }
    }

    private func start() throws -> WorkerProcess {
        let worker = try WorkerProcess(
            "/proc/self/exe",
            [
                "--testing-library", "swift-testing", "--no-parallel", "--filter",
                "^\(Self.pattern(of: "\(test.id)"))$",
            ],
            environment: [CaseWorkers.variable: "1"]
        )
        let done = state.withLock { Set($0.answers.keys) }
        worker.send(try WorkerLine.text(WorkOrder(adapter: adapter, done: done)))
        return worker
    }

    private func settle(_ id: ContractReport.Case, _ answer: Answer) {
        let waiting = state.withLock { state in
            state.answers[id] = answer
            let waiting = state.waiting.filter { $0.id == id }
            state.waiting.removeAll { $0.id == id }
            return waiting
        }
        for one in waiting { one.pass(answer) }
    }

    /// Fails the remaining cases, because the worker has ended outside any case.
    private func giveUp(_ error: any Error) {
        let end = error as? ProcessEnded
        let rest = ProcessEnded(
            isCrash: end?.isCrash ?? false,
            "the test did not reach it in the child process for \(adapter): \(end?.description ?? "\(error)")"
        )
        let waiting = state.withLock { state in
            state.rest = rest
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.pass(.failure(rest)) }
    }

    /// Returns a regular expression that matches exactly this text.
    private static func pattern(of text: String) -> String {
        text.map { character in
            character.isLetter || character.isNumber || "_ ".contains(character) ? "\(character)" : "\\\(character)"
        }
        .joined()
    }
}
#endif
