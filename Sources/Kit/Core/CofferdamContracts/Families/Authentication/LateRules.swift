/// AUTH-14 and AUTH-15: answers that come late, and sign-outs that the vendor does not answer.
extension AuthenticationOperation {
    func lateAnswer(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        Rule(
            "AUTH-14",
            "An answer or a refresh that comes late changes nothing for the session that began in the meantime",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            let stops: [Stop] = context.capabilities.contains(sessionRefresh) ? [.atVendor, .inRefresh] : [.atVendor]
            for departure in departures + returns {
                for stop in stops {
                    let what = "\(call.name), \(stop.name), across \(departure.name)"
                    try await begin(subject)
                    try await departure.leave(subject)
                    let wanted = try await session.shown(subject)
                    let alone = await context.task(call.call.perform(subject)).result
                    try await session.signIn(subject)
                    let (task, end) = try await start(call, stop, subject, context)
                    defer { end() }
                    try await departure.leave(subject)
                    try await held.release(subject)
                    _ = try await context.within("\(what), ends", { await task.result })
                    let shown = try await session.shown(subject)
                    findings.expect(shown == wanted, "\(what): the session shows \(shown), alone \(wanted)")
                    switch (await context.task(call.call.perform(subject)).result, alone) {
                    case (.success(let after), .success(let alone)):
                        findings.expectSame(after, alone, of: call, "\(what): the next call")
                    case (.failure, .failure): break
                    case (let after, let alone):
                        findings.add("\(what): the next call got \(after.text), alone \(alone.text)")
                    }
                }
            }
            try await vendor.reset(subject)
            return findings.violations
        }.consulting([sessionRefresh])
    }

    /// The ways in which the same user begins a new session.
    private var returns: [Departure] {
        [
            Departure(name: "a new sign-in", isSignedInAfterwards: true, leave: session.signIn),
            Departure(name: "a sign-out and a new sign-in", isSignedInAfterwards: true) { subject in
                try await session.signOut(subject)
                try await session.signIn(subject)
            },
        ]
    }

    func unansweredSignOut(_ signOut: SignOut) -> Rule<Subject> {
        Rule(
            "AUTH-15",
            "A sign-out is complete although the vendor refuses it, fails, or does not answer, and its end changes nothing for a later session",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            for fault in [.status(401), .status(500), .reset, .garbage] as [VendorFault] {
                try await begin(subject)
                try await signOut.inject(subject, fault, 100)
                await findings.expectSuccess("\(fault): the sign-out") { try await signOut.call(subject) }
                findings.expect(try await !session.isSignedIn(subject), "\(fault): still signed in")
            }
            try await begin(subject)
            try await signOut.inject(subject, .hold, 1)
            let unanswered: Task<any Sendable, any Error>?
            do {
                unanswered = try await held.start(AnyPortCall(signOut.call), of: subject, context)
            } catch is EndedEarly {
                // This vendor is not told, or not waited for.
                unanswered = nil
            }
            findings.expect(try await !session.isSignedIn(subject), "the vendor does not answer: still signed in")
            try await session.signIn(subject)
            if let unanswered {
                defer { unanswered.cancel() }
                try await context.within("the vendor is given up") { try await signOut.outlast(subject) }
                let end = try await context.within("the sign-out ends") { await unanswered.result }
                findings.expectSuccess(of: end, "the sign-out that is not answered")
            }
            findings.expect(try await session.isSignedIn(subject), "the end of the sign-out ends the next session")
            try await vendor.reset(subject)
            return findings.violations
        }
    }
}
