#if Sandbox
import Cofferdam
import SanctuaryDomain

/// The work between opening and closing, which closing ends with `closed`.
final class Lifetime: Sendable {
    /// The event, besides closing, that ends the work.
    enum Scope: Sendable {
        case services
        /// Ended by signing out, too.
        case session
    }

    private struct Work: Sendable {
        var scope: Scope
        var end: @Sendable (SanctuaryError) -> Void
    }

    private struct State: Sendable {
        var isClosed = false
        var nextID = 0
        var work: [Int: Work] = [:]
        var storedSessionFailure: SanctuaryError?
    }

    private let state = Mutex(State())

    /// The error of reading the stored session; nil once a user has signed in or out.
    var storedSessionFailure: SanctuaryError? {
        get { state.withLock { $0.storedSessionFailure } }
        set { state.withLock { $0.storedSessionFailure = newValue } }
    }

    /// Registers work that `end` can end; nil if the services are closed.
    func enter(_ scope: Scope, end: @escaping @Sendable (SanctuaryError) -> Void) -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            state.work[state.nextID] = Work(scope: scope, end: end)
            return state.nextID
        }
    }

    func leave(_ id: Int) { state.withLock { _ = $0.work.removeValue(forKey: id) } }

    /// - Throws: `closed` after closing.
    func check() throws(SanctuaryError) {
        if state.withLock({ $0.isClosed }) { throw Self.closed }
    }

    /// Ends the work that belongs to the session.
    func endSession() {
        let ended = state.withLock { state in
            let ended = state.work.filter { $0.value.scope == .session }
            for id in ended.keys { state.work[id] = nil }
            return Array(ended.values)
        }
        for work in ended { work.end(Self.signedOut) }
    }

    /// Ends all work. Returns false if already closed.
    func close() -> Bool {
        let ended = state.withLock { state -> [Work]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.work = [:] }
            return Array(state.work.values)
        }
        for work in ended ?? [] { work.end(Self.closed) }
        return ended != nil
    }

    static let signedOut = SanctuaryError(.authenticationRequired, "the user has signed out")
    static let closed = SanctuaryError(.closed, "the services have been closed")
}
#endif
