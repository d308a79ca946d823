import Cofferdam
import CofferdamContracts
import CofferdamTesting

/// The desk's operations, described as an adopter would.
enum DeskContract {
    /// The rules that no other port's tests in this target use.
    static let rules = all.rules.filter { ids.contains($0.id) }
    static let mutants = all.mutants.filter { ids.contains($0.rule) }

    static let ids: Set<RuleID> = [
        "MUT-09", "AUTH-11", "AUTH-12", "AUTH-13", "AUTH-14", "AUTH-15", "CANC-09", "LIFE-01", "LIFE-02", "LIFE-03",
    ]

    private static var all: (rules: [Rule<Desk>], mutants: [Mutant<Desk>]) {
        (
            sessions.rules + writes.rules + searches.rules + instances.rules,
            sessions.mutants + writes.mutants + searches.mutants + instances.mutants
        )
    }

    // MARK: Calls

    private static let notes = probed(
        PortCall<Desk, Void, [String]>(
            "notes",
            get: { desk in { try await desk.notes(()) } },
            replace: { desk, perform in
                var desk = desk
                desk.notes = { _ in try await perform() }
                return desk
            }
        ),
        isReading: true
    ) { _ in }

    static let look = probed(call("look", \.look), isReading: true, another: 2) { _ in 1 }

    private static let write = probed(call("write", \.write), isReading: false) { desk in
        DeskNote(text: "a note", key: "\(desk.server.state.withLock { $0.nextNumber() })")
    }

    private static let search = probed(
        PortCall<Desk, Void, [String]>(
            "search",
            get: { desk in { try await desk.search(()) } },
            replace: { desk, perform in
                var desk = desk
                desk.search = { _ in try await perform() }
                return desk
            }
        ),
        isReading: true,
        isShared: true
    ) { _ in }

    private static func call<Input: Sendable, Output: Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Desk, PortCall<Desk, Input, Output>.Perform> & Sendable
    ) -> PortCall<Desk, Input, Output> {
        PortCall(
            name,
            get: { $0[keyPath: path] },
            replace: { desk, perform in
                var desk = desk
                desk[keyPath: path] = perform
                return desk
            }
        )
    }

    private static func probed<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Desk, Input, Output>,
        isReading: Bool,
        isShared: Bool = false,
        another: Input? = nil,
        input: @escaping @Sendable (Desk) -> Input
    ) -> ProbedCall<Desk> {
        let name = call.name
        return ProbedCall(
            AnyPortCall(call, input: input),
            another: another.map { AnyPortCall(call, with: $0) },
            isReading: isReading,
            isShared: isShared,
            inject: { $0.server.vendor.inject($1, at: name, times: $2) },
            arrivals: { $0.server.vendor.arrivals(at: name) },
            waitForArrivals: { try await $0.server.vendor.waitForArrivals(at: name, $1) },
            users: { $0.server.state.withLock { $0.callers } }
        )
    }

    static let held = HeldCalls<Desk>(
        wait: { try await $0.server.vendor.waitForHeld($1) },
        release: { $0.server.vendor.release() }
    )

    // MARK: Families

    private static let sessions = AuthenticationOperation<Desk>(
        calls: [notes],
        streams: [
            UserStream(
                PortStream(
                    "events",
                    get: { $0.events() },
                    replace: { desk, events in
                        var desk = desk
                        desk.events = events
                        return desk
                    }
                ),
                send: { $0.server.send("an event") },
                waitForSubscribers: { try await $0.server.vendor.waitForSubscribers($1) }
            )
        ],
        session: .init(
            signIn: { try $0.server.signIn("ann") },
            signInWithWrongPassword: { try $0.server.signIn("ann", isRight: false) },
            signOut: { try await $0.leave(()) },
            isSignedIn: { $0.server.state.withLock { $0.user != nil } },
            shown: { $0.server.state.withLock { $0.user ?? "no user" } },
            another: .init(
                "bob",
                signIn: { try $0.server.signIn("bob") },
                signInWithWrongPassword: { try $0.server.signIn("bob", isRight: false) }
            )
        ),
        vendor: .init(
            reset: { $0.server.reset() },
            expire: { _ in },
            revoke: { _ in },
            refreshes: { _ in 0 },
            injectOnRefresh: { _, _, _ in },
            signOut: .init(
                call: call("sign out", \.leave),
                inject: { $0.server.vendor.inject($1, at: "sign out", times: $2) },
                outlast: { desk in
                    try await desk.server.clock.waitForSleeper(for: .milliseconds(500)...(.seconds(5)))
                    desk.server.clock.advance(by: .seconds(6))
                }
            )
        ),
        held: held,
        isAuthenticationRequired: matches(.signedOut),
        isForbidden: matches(.forbidden)
    )

    private static let writes = WriteOperation<Desk>(
        writes: [.init(write, key: .init(count: { $0.server.state.withLock { $0.notes["ann"]?.count ?? 0 } }))],
        prepare: prepare,
        held: held,
        clearFaults: { $0.server.vendor.clear() },
        outlast: outlast,
        close: { $0.server.close() },
        isOutcomeUnknown: matches(.outcomeUnknown),
        unreachable: DeskError.unreachable
    )

    private static let searches = CancellationOperation<Desk>(
        calls: [look, search],
        searches: [
            .init(
                search,
                state: { $0.server.state.withLock { $0.things } },
                clearFaults: { $0.server.vendor.clear() },
                undo: { $0.server.remove("lamp") }
            )
        ],
        prepare: prepare,
        held: held,
        close: { $0.server.close() },
        isClosed: matches(.closed),
        isPortError: { $0 is DeskError },
        outlast: outlast
    )

    private static let instances = LifecycleOperation<Desk>(
        calls: [look, notes, write, search],
        needingSession: ["notes", "write"],
        opening: Opening(nowhere: call("open nowhere", \.openNowhere), close: call("close", \.close)),
        instances: .init(another: call("open another", \.openAnother)) { one, other in
            try one.server.signIn("ann")
            return other.server.state.withLock { $0.user }.map { "signed in on one, the other is \($0)'s" }
        },
        isUnreachable: matches(.unreachable),
        prepare: prepare,
        held: held
    )

    static let prepare: @Sendable (Desk) async throws -> Void = { desk in
        desk.server.reset()
        try desk.server.signIn("ann")
    }

    private static let outlast: @Sendable (Desk) async throws -> Void = { desk in
        try await desk.server.clock.waitForSleeper(of: desk.server.deadline * 0.8)
        desk.server.clock.advance(by: desk.server.deadline * 1.1)
    }

    static func matches(_ expected: DeskError) -> @Sendable (any Error) -> Bool {
        { $0 as? DeskError == expected }
    }
}

extension DeskServer.State {
    fileprivate mutating func nextNumber() -> Int {
        count += 1
        return count
    }
}

extension LineVendor {
    /// Removes pending faults, and answers held calls.
    fileprivate func clear() {
        reset()
        release()
    }
}
