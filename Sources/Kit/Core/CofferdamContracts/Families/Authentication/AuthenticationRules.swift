extension AuthenticationOperation {
    /// AUTH-01 to AUTH-11, AUTH-13 and AUTH-14 for each call; AUTH-10, AUTH-12 and AUTH-13 for each stream; AUTH-15 if
    /// the vendor can be told of a sign-out.
    public var rules: [Rule<Subject>] {
        Rule.each(
            calls.map { ($0.name, rules(of: $0)) }
                + streams.map { ($0.name, [refused($0.first), endsWithSession($0), survivesRefusal($0)]) }
        ) + (vendor.signOut.map { [unansweredSignOut($0)] } ?? [])
    }

    func rules(of call: ProbedCall<Subject>) -> [Rule<Subject>] {
        [
            refreshAndRetry(call), oneRefresh(call), lateRefusal(call), refusedRefresh(call), transientFailure(call),
            lateFailure(call), secondRefusal(call), forbidden(call), cancelledWaiter(call), refused(call.call),
            neverAsAnother(call), survivesRefusal(call), lateAnswer(call),
        ].map { $0.requiring(call.requires) }
    }

    private func refreshAndRetry(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-01", "An expired token costs one refresh and one retry, and the caller sees success") {
            subject,
            _ in
            var findings = Findings()
            let before = try await call.call(subject)
            let calls = try await call.arrivals(subject)
            try await vendor.expire(subject)
            do {
                let after = try await call.call(subject)
                findings.expectSame(after, before, of: call)
            } catch {
                findings.add("the caller sees \(error)")
            }
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            findings.expectEqual(try await call.arrivals(subject) - calls, 2, "calls: one refused, one retried")
            return findings.violations
        }
    }

    private func oneRefresh(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-02", "Concurrent callers with an expired token share one refresh, and all succeed") {
            subject,
            _ in
            var findings = Findings()
            try await vendor.expire(subject)
            let errors = await errors(of: 100, call, subject)
            findings.expect(
                errors.isEmpty,
                "\(errors.count) of 100 callers failed: \(errors.map { "\($0)" }.first ?? "")"
            )
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            return findings.violations
        }
    }

    private func lateRefusal(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing(
            "AUTH-03",
            "A late refusal of the previous token triggers no second refresh, and the caller succeeds"
        ) {
            subject,
            context in
            var findings = Findings()
            try await vendor.expire(subject)
            try await call.inject(subject, .hold, 1)
            let late = try await held.start(call.call, of: subject, context)
            defer { late.cancel() }
            _ = try await call.call(subject)
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes before the late refusal")
            try await held.release(subject)
            let result = try await context.within("the late call ends") { await late.result }
            findings.expectSuccess(of: result, "the call that was refused late")
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            return findings.violations
        }
    }

    private func refusedRefresh(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing(
            "AUTH-04",
            "A refused refresh fails all waiting callers with \"sign in\", once, and no caller retries"
        ) {
            subject,
            _ in
            var findings = Findings()
            try await vendor.expire(subject)
            try await vendor.injectOnRefresh(subject, .status(401), 1000)
            let calls = try await call.arrivals(subject)
            let callers = 20
            let errors = await errors(of: callers, call, subject)
            let others = errors.filter { !isAuthenticationRequired($0) }
            findings.expectEqual(errors.count, callers, "callers that were refused")
            findings.expect(others.isEmpty, "expected that a sign-in is required, got \(others.map { "\($0)" })")
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            let attempts = try await call.arrivals(subject) - calls
            findings.expect(attempts <= callers, "\(callers) callers made \(attempts) calls")
            return findings.violations
        }
    }

    private func transientFailure(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-05", "A refresh that fails without being refused keeps the session") { subject, context in
            var findings = Findings()
            for fault in Self.transientFaults {
                try await vendor.expire(subject)
                try await vendor.injectOnRefresh(subject, fault, 1)
                var results: [Result<any Sendable, any Error>] = []
                if fault == .hold {
                    guard let outlast else { continue }
                    let late = try await held.start(call.call, of: subject, context)
                    defer { late.cancel() }
                    try await context.within("the refresh is given up") { try await outlast(subject) }
                    results.append(try await context.within("the call ends when its time is up") { await late.result })
                    try await held.release(subject)
                    // The call's time ends just before the refresh's, so another call may still join that refresh and
                    // fail with it.
                    results.append(await context.task(call.call.perform(subject)).result)
                } else {
                    results.append(await context.task(call.call.perform(subject)).result)
                }
                // An adapter that retries the refresh may succeed.
                for case .failure(let error) in results {
                    findings.expect(
                        !isAuthenticationRequired(error),
                        "\(fault): the caller is told to sign in: \(error)"
                    )
                }
                findings.expect(try await session.isSignedIn(subject), "\(fault): the session is gone")
                await findings.expectSuccess("\(fault): the next call") { try await call.call(subject) }
            }
            return findings.violations
        }
    }

    /// The ways in which a refresh fails without being refused. A refresh that the vendor has carried out without its
    /// answer arriving must not end the session.
    private static var transientFaults: [VendorFault] {
        [
            .status(500), .status(503), .status(429), .reset, .emptyReply, .html, .garbage, .truncated, .malformedChunk,
            .appliedThenReset, .hold,
        ]
    }

    private func lateFailure(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-06", "A refresh that fails late does not end a session that began in the meantime") {
            subject,
            context in
            var findings = Findings()
            try await vendor.expire(subject)
            try await vendor.injectOnRefresh(subject, .hold, 1)
            let old = try await held.start(call.call, of: subject, context)
            defer { old.cancel() }
            try await vendor.revoke(subject)
            try await session.signIn(subject)
            try await held.release(subject)
            _ = try await context.within("the call of the old session ends") { await old.result }
            findings.expect(try await session.isSignedIn(subject), "the new session is gone")
            await findings.expectSuccess("a call of the new session") { try await call.call(subject) }
            return findings.violations
        }
    }

    private func secondRefusal(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-07", "A call that is refused again after the refresh is not made a third time") {
            subject,
            context in
            var findings = Findings()
            let calls = try await call.arrivals(subject)
            try await call.inject(subject, .hold, 2)
            try await vendor.expire(subject)
            let twice = try await held.start(call.call, of: subject, context)
            defer { twice.cancel() }
            try await held.release(subject)
            try await context.within("the second attempt", unless: twice) {
                try await call.waitForArrivals(subject, calls + 2)
                try await held.wait(subject, 1)
            }
            try await vendor.expire(subject)
            try await held.release(subject)
            switch try await context.within("the call that is refused twice ends", { await twice.result }) {
            case .success(let answer): findings.add("expected that a sign-in is required, got \(answer)")
            case .failure(let error):
                findings.expect(isAuthenticationRequired(error), "expected that a sign-in is required, got \(error)")
            }
            findings.expectEqual(try await call.arrivals(subject) - calls, 2, "calls")
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            return findings.violations
        }
    }

    private func forbidden(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        Rule("AUTH-08", "A forbidden call triggers no refresh and no retry") { subject, _ in
            var findings = Findings()
            try await begin(subject)
            let calls = try await call.arrivals(subject)
            try await call.inject(subject, .status(403), 1)
            do {
                findings.add("expected it to be forbidden, got \(try await call.call(subject))")
            } catch {
                findings.expect(isForbidden(error), "expected it to be forbidden, got \(error)")
            }
            findings.expectEqual(try await call.arrivals(subject) - calls, 1, "calls")
            findings.expectEqual(try await vendor.refreshes(subject), 0, "refreshes")
            findings.expect(try await session.isSignedIn(subject), "the session is gone")
            return findings.violations
        }
    }

    private func cancelledWaiter(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        refreshing("AUTH-09", "A caller that stops waiting for a shared refresh does not cancel it for the others") {
            subject,
            context in
            var findings = Findings()
            try await vendor.expire(subject)
            try await vendor.injectOnRefresh(subject, .hold, 1)
            let calls = try await call.arrivals(subject)
            let first = try await held.start(call.call, of: subject, context)
            let second = context.task(call.call.perform(subject))
            defer { second.cancel() }
            try await context.within("the second call reaches the vendor", unless: second) {
                try await call.waitForArrivals(subject, calls + 2)
            }
            first.cancel()
            let given = try await context.within("the cancelled caller ends") { await first.result }
            findings.expectCancellation(given, call.name)
            try await held.release(subject)
            let result = try await context.within("the other caller ends") { await second.result }
            findings.expectSuccess(of: result, "the other caller")
            findings.expectEqual(try await vendor.refreshes(subject), 1, "refreshes")
            return findings.violations
        }
    }

    private func refused(_ call: AnyPortCall<Subject>) -> Rule<Subject> {
        Rule(
            "AUTH-10",
            "Without valid credentials, every call that requires them is refused",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            try await vendor.reset(subject)
            await expectRefusal(of: call, subject, context, "never signed in", &findings)
            await expectRefusal("sign in with a wrong password", &findings) {
                try await session.signInWithWrongPassword(subject)
            }
            findings.expect(try await !session.isSignedIn(subject), "signed in with a wrong password")
            // If a user is signed in by now, nothing is refused, and a stream would wait for events that never come.
            guard findings.violations.isEmpty else { return findings.violations }
            await expectRefusal(of: call, subject, context, "after a refused sign in", &findings)
            try await session.signIn(subject)
            if let probed = calls.first(where: { $0.name == call.name }) { _ = try await probed.call(subject) }
            try await session.signOut(subject)
            await expectRefusal(of: call, subject, context, "after signing out", &findings)
            return findings.violations
        }
    }
}
