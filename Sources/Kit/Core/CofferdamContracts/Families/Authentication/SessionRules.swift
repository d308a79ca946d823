/// AUTH-11 to AUTH-13: what happens to calls and streams when their user leaves, and to the session when a sign-in is
/// refused.
extension AuthenticationOperation {
    /// A way in which a user leaves while a call or a stream is in progress.
    struct Departure: Sendable {
        let name: String
        let isSignedInAfterwards: Bool
        let leave: @Sendable (Subject) async throws -> Void
    }

    var departures: [Departure] {
        var departures = [Departure(name: "a sign-out", isSignedInAfterwards: false, leave: session.signOut)]
        if let another = session.another {
            departures.append(Departure(name: "another's sign-in", isSignedInAfterwards: true, leave: another.signIn))
            departures.append(
                Departure(name: "a sign-out and another's sign-in", isSignedInAfterwards: true) { subject in
                    try await session.signOut(subject)
                    try await another.signIn(subject)
                }
            )
        }
        return departures
    }

    /// Where a call is while its user leaves.
    enum Stop: Sendable {
        case atVendor
        /// At the vendor too, but its token has expired by the time it is released.
        case atVendorExpired
        case inRefresh
        case detour(Detour)

        var name: String {
            switch self {
            case .atVendor: "held at the vendor"
            case .atVendorExpired: "held at the vendor until its token has expired"
            case .inRefresh: "held in the refresh"
            case .detour(let detour): detour.name
            }
        }
    }

    func neverAsAnother(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        Rule(
            "AUTH-11",
            "A call that one user began is never made as another user, or answered with another user's data",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            var stops = [Stop.atVendor]
            if context.capabilities.contains(sessionRefresh) { stops += [.atVendorExpired, .inRefresh] }
            stops += detours.filter { $0.calls.contains(call.name) }.map { .detour($0) }
            for stop in stops {
                for departure in departures { try await check(departure, call, stop, subject, context, &findings) }
            }
            return findings.violations
        }.consulting([sessionRefresh])
    }

    private func check(
        _ departure: Departure,
        _ call: ProbedCall<Subject>,
        _ stop: Stop,
        _ subject: Subject,
        _ context: RuleContext,
        _ findings: inout Findings
    ) async throws {
        try await begin(subject)
        let expected = try await call.call(subject)
        let what = "\(call.name), \(stop.name), across \(departure.name)"
        let (task, end) = try await start(call, stop, subject, context)
        defer { end() }
        try await departure.leave(subject)
        if case .atVendorExpired = stop { try await vendor.expire(subject) }
        try await held.release(subject)
        switch try await context.within("\(what), ends", { await task.result }) {
        case .success(let answer): findings.expectSame(answer, expected, of: call, what)
        case .failure(let error):
            findings.expect(
                isAuthenticationRequired(error) || isOutcomeUnknown?(error) ?? false,
                "\(what): expected the answer for the user who began it, or that a sign-in is required, got \(error)"
            )
        }
        if let another = session.another, let users = call.users {
            let made = try await users(subject).count { $0 == another.name }
            findings.expectEqual(made, 0, "\(what): calls made as \(another.name)")
        }
        let isSignedIn = try await session.isSignedIn(subject)
        findings.expectEqual(isSignedIn, departure.isSignedInAfterwards, "\(what): signed in afterwards")
        try await vendor.reset(subject)
    }

    /// Starts the call, and returns once it is at the stop.
    func start(
        _ call: ProbedCall<Subject>,
        _ stop: Stop,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> (task: Task<any Sendable, any Error>, end: @Sendable () -> Void) {
        switch stop {
        case .atVendor, .atVendorExpired: try await call.inject(subject, .hold, 1)
        case .inRefresh:
            try await vendor.injectOnRefresh(subject, .hold, 1)
            try await vendor.expire(subject)
        case .detour(let detour):
            let cleanUp = try await context.within("\(call.name) is blocked") {
                try await detour.block(subject)
            }
            let task = context.task(call.call.perform(subject))
            let end: @Sendable () -> Void = {
                task.cancel()
                cleanUp()
            }
            do {
                try await context.within("\(call.name) is \(stop.name)", unless: task) {
                    try await detour.wait(subject)
                }
            } catch {
                end()
                throw error
            }
            return (task, end)
        }
        let task = try await held.start(call.call, of: subject, context)
        return (task, { task.cancel() })
    }

    func endsWithSession(_ stream: UserStream<Subject>) -> Rule<Subject> {
        Rule(
            "AUTH-12",
            "A user's stream ends with an error when the session ends, and delivers nothing afterwards",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            for departure in departures {
                try await begin(subject)
                let subscriber = try await subscribe(to: stream, subject, context)
                defer { subscriber.cancel() }
                let received = subscriber.count()
                try await departure.leave(subject)
                try await stream.send(subject)
                let what = "\(stream.name) after \(departure.name)"
                try await context.within("\(what) end") { try await subscriber.wait(received + 1) }
                findings.expectEqual(subscriber.count() - received, 0, "\(what): events")
                switch subscriber.end() {
                case .failure(let error)? where isAuthenticationRequired(error): break
                case .failure(let error)?: findings.add("\(what): expected that a sign-in is required, got \(error)")
                case .success?: findings.add("\(what): expected that a sign-in is required, got the end")
                case nil: findings.add("\(what): it continues")
                }
                try await context.within("\(what): the vendor has dropped it") {
                    try await stream.waitForSubscribers(subject, 0)
                }
            }
            return findings.violations
        }
    }

    /// Returns a subscriber that has received an event.
    private func subscribe(
        to stream: UserStream<Subject>,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> UserStream<Subject>.Subscriber {
        let subscriber = stream.listen(subject, context)
        do {
            try await context.within("\(stream.name) are served") { try await stream.waitForSubscribers(subject, 1) }
            try await stream.send(subject)
            try await context.within("an event of \(stream.name)") { try await subscriber.wait(1) }
        } catch {
            subscriber.cancel()
            throw error
        }
        return subscriber
    }

    /// The sign-ins that fail, with their names in findings.
    private var refusals: [(name: String, signIn: @Sendable (Subject) async throws -> Void)] {
        [("with a wrong password", session.signInWithWrongPassword)]
            + (session.another.map { [("of another, with a wrong password", $0.signInWithWrongPassword)] } ?? [])
    }

    func survivesRefusal(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        Rule("AUTH-13", "A refused sign-in leaves the existing session and its calls alone", bound: .seconds(5)) {
            subject,
            _ in
            var findings = Findings()
            try await begin(subject)
            let expected = try await call.call(subject)
            for (name, signIn) in refusals {
                await expectRefusal("sign in \(name)", &findings) { try await signIn(subject) }
                findings.expect(try await session.isSignedIn(subject), "after a sign-in \(name), the session is gone")
                do {
                    let answer = try await call.call(subject)
                    findings.expectSame(answer, expected, of: call, "\(call.name) after a sign-in \(name)")
                } catch {
                    findings.add("\(call.name) after a sign-in \(name): expected an answer, got \(error)")
                }
            }
            if let another = session.another, let users = call.users {
                let made = try await users(subject).count { $0 == another.name }
                findings.expectEqual(made, 0, "\(call.name): calls made as \(another.name)")
            }
            return findings.violations
        }
    }

    func survivesRefusal(_ stream: UserStream<Subject>) -> Rule<Subject> {
        Rule("AUTH-13", "A refused sign-in leaves the existing session and its calls alone", bound: .seconds(5)) {
            subject,
            context in
            var findings = Findings()
            try await begin(subject)
            let subscriber = try await subscribe(to: stream, subject, context)
            defer { subscriber.cancel() }
            for (name, signIn) in refusals {
                let received = subscriber.count()
                await expectRefusal("sign in \(name)", &findings) { try await signIn(subject) }
                try await stream.send(subject)
                try await context.within("\(stream.name) after a sign-in \(name)") {
                    try await subscriber.wait(received + 1)
                }
                findings.expect(subscriber.count() > received, "\(stream.name) ended by a sign-in \(name)")
            }
            return findings.violations
        }
    }
}
