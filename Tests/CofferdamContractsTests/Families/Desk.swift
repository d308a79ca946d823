import Cofferdam
import CofferdamContracts
import CofferdamTesting

/// A port of a desk at which one user at a time keeps notes: writes with keys, a shared search, the user's events. A
/// mistake makes it careless in one way.
struct Desk: Sendable {
    enum Mistake: Sendable, CaseIterable {
        /// Reports a write whose answer was lost as failed.
        case takesLostForFailed
        /// Uses a new key for each attempt of a write.
        case forgetsKeys
        /// Repeats a call whose user has signed out as the user signed in now.
        case asksAgainAsAnother
        /// Continues a stream in the next user's session.
        case keepsStreams
        /// Ends a stream without an error when its user signs out.
        case endsStreamsInOrder
        /// Signs a call's user in again when the call ends in the session of another one.
        case returnsLate
        /// Signs out only when the vendor has answered.
        case waitsToSignOut
        /// Signs out before it signs in.
        case signsOutFirst
        /// Ends the shared search for all callers when one of them cancels.
        case endsSearchOfAll
        /// Removes the desk's lamp when a search is cancelled.
        case undoesSearch
        /// Throws an error that is not the port's if the vendor is unreachable.
        case hidesAbsence
        /// Answers lookups after closing as if the vendor had answered.
        case answersWhenClosed
        /// Answers parallel calls with the answer to the latest one.
        case answersLastQuestion
        /// Shares its state among all instances.
        case sharesState
    }

    let server: DeskServer
    var look: @Sendable (_ number: Int) async throws -> String
    var notes: @Sendable (()) async throws -> [String]
    var write: @Sendable (DeskNote) async throws -> DeskNote
    var search: @Sendable (()) async throws -> [String]
    var events: @Sendable () -> any AsyncSequence<String, any Error> & Sendable
    var leave: @Sendable (()) async throws -> Void
    var openNowhere: @Sendable (DeadAddress) async throws -> Desk
    var openAnother: @Sendable (()) async throws -> Desk
    var close: @Sendable (()) async throws -> Void

    init(_ mistake: Mistake? = nil) { self.init(DeskServer(mistake)) }

    private init(_ server: DeskServer) {
        self.server = server
        look = { try await server.look($0) }
        notes = { _ in try await server.notes() }
        write = { try await server.write($0) }
        search = { _ in try await server.search() }
        events = { server.events() }
        leave = { _ in await server.leave() }
        openNowhere = { _ in Desk(DeskServer(server.mistake, isReachable: false)) }
        openAnother = { _ in Desk(server.mistake == .sharesState ? server : DeskServer(server.mistake)) }
        close = { _ in server.close() }
    }
}

struct DeskNote: Sendable, Hashable {
    var text: String
    var key: String
}

enum DeskError: Error {
    case signedOut, outcomeUnknown, unreachable, timeout, closed, lost, forbidden
}

/// The adapter and the vendor in one.
final class DeskServer: Sendable {
    typealias Listener = AsyncThrowingStream<String, any Error>.Continuation

    struct State: Sendable {
        var user: String?
        var notes = ["ann": [DeskNote(text: "ann's", key: "0")], "bob": [DeskNote(text: "bob's", key: "0")]]
        var callers: [String] = []
        var listeners: [Int: Listener] = [:]
        var count = 0
        var things = ["lamp", "phone"]
        var search: Task<[String], any Error>?
        var lastNumber = 0
        var isClosed = false
    }

    let vendor = LineVendor()
    let clock = AdjustableClock()
    let deadline = Duration.seconds(30)
    let mistake: Desk.Mistake?
    private let isReachable: Bool
    let state = Mutex(State())

    init(_ mistake: Desk.Mistake?, isReachable: Bool = true) {
        self.mistake = mistake
        self.isReachable = isReachable
    }

    // MARK: Calls

    func look(_ number: Int) async throws -> String {
        state.withLock { $0.lastNumber = number }
        let answer: String
        do {
            answer = try await ask("look") { "thing \(number)" }
        } catch DeskError.closed where mistake == .answersWhenClosed {
            return "thing \(number)"
        }
        return mistake == .answersLastQuestion ? state.withLock { "thing \($0.lastNumber)" } : answer
    }

    func notes() async throws -> [String] {
        let user = try begin()
        defer {
            if mistake == .returnsLate { state.withLock { state in if state.user != nil { state.user = user } } }
        }
        do {
            return try await ask("notes") { try self.notes(of: user) }
        } catch DeskError.signedOut where mistake == .asksAgainAsAnother {
            return try notes(of: try begin())
        }
    }

    func write(_ note: DeskNote) async throws -> DeskNote {
        var sent = note
        if mistake == .forgetsKeys { sent.key += " \(vendor.arrivals(at: "write"))" }
        let user = try begin()
        do {
            return try await ask("write") { [sent] in
                self.state.withLock { state in
                    let known = state.notes[user]?.first { $0.key == sent.key }
                    if known == nil { state.notes[user]?.append(sent) }
                    return known ?? sent
                }
            }
        } catch  where [DeskError.timeout, .lost].contains(error as? DeskError) || isOvertaken(error) {
            throw mistake == .takesLostForFailed ? DeskError.unreachable : .outcomeUnknown
        }
    }

    private func isOvertaken(_ error: any Error) -> Bool {
        if case DeskError.closed = error { vendor.arrivals(at: "write") > 0 } else { false }
    }

    /// Runs one search for all callers, which continues when one of them cancels.
    func search() async throws -> [String] {
        try Task.checkCancellation()
        let search = state.withLock { state in
            let search =
                state.search
                ?? Task(executorPreference: nil) {
                    defer { self.state.withLock { $0.search = nil } }
                    return try await self.ask("search") { self.state.withLock { $0.things } }
                }
            state.search = search
            return search
        }
        do {
            return try await vendorCall { (complete: @escaping @Sendable (Result<[String], any Error>) -> Void) in
                Task(executorPreference: nil) { complete(await search.result) }
                return .none
            }
        } catch is CancellationError {
            if mistake == .endsSearchOfAll { search.cancel() }
            if mistake == .undoesSearch { remove("lamp") }
            throw CancellationError()
        }
    }

    func remove(_ thing: String) { state.withLock { $0.things.removeAll { $0 == thing } } }

    private func ask<Answer: Sendable>(
        _ operation: String,
        _ answer: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        if state.withLock({ $0.isClosed }) { throw DeskError.closed }
        guard isReachable else { throw mistake == .hidesAbsence ? DeskError.lost : .unreachable }
        do {
            return try await withDeadline(deadline, clock: clock) { [vendor] in
                switch vendor.arrive(at: operation) {
                case .hold: try await vendor.hold()
                case nil: break
                default:
                    _ = try answer()
                    throw DeskError.lost
                }
                return try answer()
            }
        } catch is DeadlineExceeded {
            throw DeskError.timeout
        }
    }

    /// Returns the user of a call.
    private func begin() throws -> String {
        try state.withLock { state in
            guard let user = state.user else { throw DeskError.signedOut }
            state.callers.append(user)
            return user
        }
    }

    private func notes(of user: String) throws -> [String] {
        try state.withLock { state in
            guard state.user == user else { throw DeskError.signedOut }
            return state.notes[user, default: []].map(\.text)
        }
    }

    // MARK: Streams

    func events() -> any AsyncSequence<String, any Error> & Sendable {
        AsyncThrowingStream { listener in
            let id: Int? = state.withLock { state in
                guard state.user != nil else { return nil }
                state.count += 1
                state.listeners[state.count] = listener
                return state.count
            }
            guard let id else { return listener.finish(throwing: DeskError.signedOut) }
            vendor.subscribe(1)
            listener.onTermination = { _ in
                _ = self.state.withLock { $0.listeners.removeValue(forKey: id) }
                self.vendor.subscribe(-1)
            }
        }
    }

    func send(_ event: String) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    // MARK: The session

    func signIn(_ user: String, isRight: Bool = true) throws {
        if mistake == .signsOutFirst { signOut() }
        guard isRight else { throw DeskError.signedOut }
        if state.withLock({ $0.user }) != user { signOut() }
        state.withLock { $0.user = user }
    }

    /// Signs out, and tells the vendor, for at most five seconds.
    func leave() async {
        if mistake != .waitsToSignOut { signOut() }
        do {
            try await withDeadline(.seconds(5), clock: clock) { [vendor] in
                if vendor.arrive(at: "sign out") == .hold { try await vendor.hold() }
            }
        } catch {}
        if mistake == .waitsToSignOut { signOut() }
    }

    func signOut() {
        let listeners = state.withLock { state in
            state.user = nil
            return Array(state.listeners.values)
        }
        if mistake == .keepsStreams { return }
        for listener in listeners {
            listener.finish(throwing: mistake == .endsStreamsInOrder ? nil : DeskError.signedOut)
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        vendor.release(.failure(DeskError.closed))
    }

    func reset() {
        signOut()
        vendor.reset()
        state.withLock { state in
            let first = State()
            (state.notes, state.callers, state.things) = (first.notes, first.callers, first.things)
        }
    }
}
