import Cofferdam
import CofferdamContracts
import CofferdamTesting

/// A port of one call, with a deadline, an idle timeout and pauses between its attempts, all on an injected clock.
struct Line: Sendable {
    let vendor = LineVendor()
    let clock = AdjustableClock()
    var deadline = Duration.seconds(30)
    /// The idle timeout; nil for none.
    var idle: Duration? = .seconds(6)
    var pauses: [Duration] = [.seconds(1), .seconds(2)]
    /// The number of retries after a lost connection.
    var reconnections = 1
    /// The replacement that a mutant installs.
    var replaced: (@Sendable (String) async throws -> String)?
    /// Whether a late answer is returned to the next caller.
    var keepsLateAnswers = false

    func ask(_ question: String) async throws -> String {
        if let replaced { return try await replaced(question) }
        if let late = vendor.takeLateAnswer() { return late }
        do {
            return try await withDeadline(deadline, clock: clock) { try await attempts(question) }
        } catch {
            if keepsLateAnswers { vendor.keep(lateAnswer: "an answer to \(question)") }
            throw error is DeadlineExceeded ? LineError.timeout : error
        }
    }

    private func attempts(_ question: String) async throws -> String {
        for pause in pauses {
            do {
                return try await connected(question)
            } catch LineError.status(503, _) {
                try await clock.sleep(for: pause)
            }
        }
        return try await connected(question)
    }

    private func connected(_ question: String) async throws -> String {
        for _ in 0..<reconnections {
            do { return try await attempt(question) } catch LineError.lost {}
        }
        return try await attempt(question)
    }

    private func attempt(_ question: String) async throws -> String {
        let fault = vendor.arrive()
        switch fault {
        case .status(let status, let retryAfter): throw LineError.status(status, retryAfter)
        case .reset, .emptyReply: throw LineError.lost
        case .hold: try await vendor.hold()
        case .stall:
            guard let idle else {
                try await vendor.hold()
                break
            }
            do {
                try await withDeadline(idle, clock: clock) { try await vendor.hold() }
            } catch is DeadlineExceeded {
                throw LineError.timeout
            }
        default: break
        }
        return "an answer to \(question)"
    }
}

enum LineError: Error {
    case timeout, lost
    case status(Int, Duration?)
}

/// The vendor at the other end of the line.
final class LineVendor: Sendable {
    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct State: Sendable {
        /// The pending faults by operation.
        var faults: [String: [VendorFault]] = [:]
        var arrivals: [String: Int] = [:]
        var subscribers = 0
        var count = 0
        var lateAnswer: String?
        var held: [Int: Wake] = [:]
        var waiting: [(isMet: @Sendable (State) -> Bool, wake: Wake)] = []
    }

    private let state = Mutex(State())

    func arrivals(at operation: String = "line") -> Int { state.withLock { $0.arrivals[operation] ?? 0 } }

    func inject(_ fault: VendorFault, at operation: String = "line", times: Int) {
        state.withLock { $0.faults[operation, default: []] += [VendorFault](repeating: fault, count: times) }
    }

    func reset() { change { $0.faults = [:] } }

    func keep(lateAnswer: String) { state.withLock { $0.lateAnswer = lateAnswer } }

    func takeLateAnswer() -> String? { state.withLock { $0.lateAnswer.take() } }

    func arrive(at operation: String = "line") -> VendorFault? {
        var fault: VendorFault?
        change { state in
            state.arrivals[operation, default: 0] += 1
            if state.faults[operation]?.isEmpty == false { fault = state.faults[operation]?.removeFirst() }
        }
        return fault
    }

    /// Changes the number of subscribers.
    func subscribe(_ change: Int) { self.change { $0.subscribers += change } }

    func hold() async throws {
        try await vendorCall { (wake: @escaping Wake) in
            var id = 0
            change { state in
                state.count += 1
                id = state.count
                state.held[id] = wake
            }
            return VendorCancellation { [id] in self.change { $0.held[id] = nil } }
        }
    }

    func release(_ outcome: Result<Void, any Error> = .success(())) {
        var held: [Wake] = []
        change { state in
            held = Array(state.held.values)
            state.held = [:]
        }
        for wake in held { wake(outcome) }
    }

    func waitForHeld(_ count: Int) async throws { try await wait { $0.held.count == count } }
    func waitForSubscribers(_ count: Int) async throws { try await wait { $0.subscribers == count } }

    func waitForArrivals(at operation: String = "line", _ count: Int) async throws {
        try await wait { $0.arrivals[operation] ?? 0 >= count }
    }

    private func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            change { $0.waiting.append((isMet, wake)) }
            return .none
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let met = state.withLock { state in
            body(&state)
            let now = state
            let met = now.waiting.filter { $0.isMet(now) }.map(\.wake)
            state.waiting.removeAll { $0.isMet(now) }
            return met
        }
        for wake in met { wake(.success(())) }
    }
}

enum LineContract {
    private static let ask = PortCall<Line, String, String>(
        "line",
        get: { line in { try await line.ask($0) } },
        replace: { line, perform in
            var line = line
            line.replaced = perform
            return line
        }
    )

    static let operation = TimeOperation<Line>(
        calls: [
            ProbedCall(
                AnyPortCall(ask, with: "one question"),
                another: AnyPortCall(ask, with: "another"),
                isReading: true,
                inject: { $0.vendor.inject($1, times: $2) },
                arrivals: { $0.vendor.arrivals() },
                waitForArrivals: { try await $0.vendor.waitForArrivals($1) }
            )
        ],
        clock: { $0.clock },
        deadline: { $0.deadline },
        idleLimit: { _ in .seconds(6) },
        pauses: [.seconds(1)...(.seconds(1)), .seconds(2)...(.seconds(4))],
        prepare: { $0.vendor.reset() },
        held: HeldCalls(wait: { try await $0.vendor.waitForHeld($1) }, release: { $0.vendor.release() }),
        isTimeout: { if case LineError.timeout = $0 { true } else { false } },
        retryAfter: { if case LineError.status(_, let delay) = $0 { delay } else { nil } }
    )
}
