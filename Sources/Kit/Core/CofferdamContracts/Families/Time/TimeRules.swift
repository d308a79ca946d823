extension TimeOperation {
    /// TIME-01 to TIME-08 for each call.
    public var rules: [Rule<Subject>] {
        // TIME-04 is only about the calls that need a token.
        let like = calls.first.map { rules(of: $0).filter { $0.id != "TIME-04" } } ?? []
        return Rule.each(calls.map { ($0.name, rules(of: $0)) } + exempt.map { $0.rows(of: like) })
    }

    func rules(of call: ProbedCall<Subject>) -> [Rule<Subject>] {
        var rules = [noAnswer(call), repetition(call), lostConnection(call)]
        let alone = [halfAnswer(call), slowAnswer(call), lateAnswer(call)]
        if call.isShared {
            let reason = "the search continues for the other callers, and the next call joins it"
            rules += (alone + [ownAnswer(call, call.call)]).map { $0.inapplicable(because: reason) }
        } else {
            rules += alone
            if let another = call.another {
                rules.append(ownAnswer(call, another))
            } else {
                let reason = "it takes no input, so there is no other question to be answered by mistake"
                rules.append(ownAnswer(call, call.call).inapplicable(because: reason))
            }
        }
        // Without tokens the rule is skipped, once and with its reason.
        if let refresh {
            if refresh.calls.contains(call.name) { rules.append(wholeBudget(call, refresh)) }
        } else if call.name == calls.first?.name {
            rules.append(wholeBudget(call, nil))
        }
        return rules.map { $0.requiring(call.requires) }
    }

    private func noAnswer(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        rule("TIME-01", "A call without an answer times out at its deadline on the injected clock, and not earlier") {
            try await timingOut(call, $0, $1, .hold)
        }
    }

    private func halfAnswer(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        rule(
            "TIME-02",
            "A call whose answer stalls times out, after the idle timeout if there is one"
        ) {
            subject,
            context in
            guard let idleLimit else { return try await timingOut(call, subject, context, .stall(afterBytes: 1)) }
            let idle = idleLimit(subject)
            guard idle * 1.2 <= deadline(subject) else {
                return [
                    Violation("an idle time of \(idle) cannot be distinguished from a deadline of \(deadline(subject))")
                ]
            }
            return try await timingOut(call, subject, context, .stall(afterBytes: 1), after: idle)
        }
    }

    private func slowAnswer(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        rule("TIME-03", "A slow answer within the deadline is an answer") { subject, context in
            var findings = Findings()
            // This is the first call, because a cached answer may leave nothing of the next one to be late.
            try await call.inject(subject, .stall(afterBytes: 1), 1)
            let slow = try await held.start(call.call, of: subject, context)
            defer { slow.cancel() }
            let idle = idleLimit?(subject) ?? deadline(subject)
            try await advance(subject, by: min(0.5, 0.5 * (idle / deadline(subject))), context)
            try await held.release(subject)
            let late = try await context.within("\(call.name), half of it late, ends") { await slow.result }
            let expected = try await call.call(subject)
            findings.expectSame(late, expected, of: call, "\(call.name), half of it late")
            try await call.inject(subject, .trickle, 1)
            findings.expectSame(try await call.call(subject), expected, of: call, "\(call.name), byte by byte")
            return findings.violations
        }
    }

    private func wholeBudget(_ refreshed: ProbedCall<Subject>, _ refresh: Refresh?) -> Rule<Subject> {
        rule(
            "TIME-04",
            "A call's deadline includes the refresh and the second attempt",
            requires: [sessionRefresh]
        ) { subject, context in
            guard let refresh else { return [Violation("the description does not say which call is refreshed")] }
            var findings = Findings()
            let calls = try await refreshed.arrivals(subject)
            try await refreshed.inject(subject, .hold, 2)
            try await refresh.expireAndHold(subject)
            let slow = try await held.start(refreshed.call, of: subject, context)
            defer { slow.cancel() }
            try await advance(subject, by: 0.4, context)
            try await held.release(subject)
            try await context.within("the refresh reaches the vendor", unless: slow) {
                try await refresh.waitForArrival(subject)
                try await held.wait(subject, 1)
            }
            try clock(subject).advance(by: deadline(subject) * 0.4)
            try await held.release(subject)
            try await context.within("the second attempt reaches the vendor", unless: slow) {
                try await refreshed.waitForArrivals(subject, calls + 2)
                try await held.wait(subject, 1)
            }
            try clock(subject).advance(by: deadline(subject) * 0.4)
            try await findings.expectTimeout(of: slow, isTimeUp(refreshed), refreshed.name, context)
            return findings.violations
        }
    }

    private func repetition(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        let repeats = call.isReading && !pauses.isEmpty
        return rule(
            "TIME-05",
            "Permanent failures are not retried, transient ones a few times, and never before the vendor's retry-after",
            needsClock: repeats
        ) { subject, context in
            var findings = Findings()
            for fault in [400, 403, 404, 409, 422].map({ VendorFault.status($0) }) {
                _ = try await attempt(call, subject, fault, atMost: 1, &findings)
            }
            let wait = Duration.seconds(7)
            if let error = try await attempt(call, subject, .status(429, retryAfter: wait), atMost: 1, &findings) {
                let stated = retryAfter(error)
                // If the vendor names a moment instead of a delay, the time that has passed since is missing.
                findings.expect(
                    stated.map { (wait - .seconds(3)...wait).contains($0) } ?? false,
                    "\(call.name), called too often: asked to wait \(wait), the port says \(stated.map { "\($0)" } ?? "nothing")"
                )
            }
            if repeats {
                try await backOff(call, subject, context, &findings)
            } else {
                // A vendor's SDK may repeat a call with a key; a call that only reads is repeated by the port, which
                // says how often.
                _ = try await attempt(call, subject, .status(503), atMost: call.isReading ? 1 : attempts, &findings)
            }
            return findings.violations
        }
    }

    /// Expects the call to sleep before each further attempt, on the injected clock, for a time within the promised
    /// bounds.
    private func backOff(
        _ call: ProbedCall<Subject>,
        _ subject: Subject,
        _ context: RuleContext,
        _ findings: inout Findings
    ) async throws {
        try await prepare(subject)
        let before = try await call.arrivals(subject)
        try await call.inject(subject, .status(503), pauses.count + 5)
        let repeated = context.task(call.call.perform(subject))
        defer { repeated.cancel() }
        for (index, pause) in pauses.enumerated() {
            let attempt = index + 1
            try await context.within("attempt \(attempt) of \(call.name) reaches the vendor", unless: repeated) {
                try await call.waitForArrivals(subject, before + attempt)
            }
            try await context.within("a pause of \(pause) after attempt \(attempt)", unless: repeated) {
                try await clock(subject).waitForSleeper(for: pause)
            }
            let made = try await call.arrivals(subject) - before
            findings.expectEqual(made, attempt, "\(call.name): attempts before the pause is over")
            try clock(subject).advance(by: pause.upperBound)
        }
        let result = try await context.within("\(call.name) gives up") { await repeated.result }
        if case .success = result { findings.add("\(call.name): expected an error, got \(result.text)") }
        let made = try await call.arrivals(subject) - before
        findings.expectEqual(made, pauses.count + 1, "\(call.name): attempts in all")
    }

    private func lateAnswer(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        rule("TIME-06", "An answer that arrives after a timeout reaches no caller") { subject, context in
            var findings = Findings()
            let expected = try await call.call(subject)
            try await call.inject(subject, .hold, 1)
            let late = try await held.start(call.call, of: subject, context)
            defer { late.cancel() }
            try await advance(subject, by: 1.1, context)
            try await findings.expectTimeout(of: late, isTimeUp(call), call.name, context)
            try await held.release(subject)
            for turn in ["next", "second"] {
                do {
                    findings.expectSame(try await call.call(subject), expected, of: call, "the \(turn) call")
                } catch {
                    findings.add("the \(turn) call: \(error)")
                }
            }
            return findings.violations
        }
    }

    /// A call times out or is given up. A caller that then asks something else must not get that call's answer.
    private func ownAnswer(_ call: ProbedCall<Subject>, _ another: AnyPortCall<Subject>) -> Rule<Subject> {
        rule("TIME-07", "A late answer is never used for another call, of the same operation or another") {
            subject,
            context in
            var findings = Findings()
            let other = fence(beside: call, isAnother: true)
            let expected = (another: try await another(subject), other: try await other.call(subject))
            for isTimeout in [true, false] {
                try await call.inject(subject, .hold, 1)
                let late = try await held.start(call.call, of: subject, context)
                defer { late.cancel() }
                if isTimeout { try await advance(subject, by: 1.1, context) } else { late.cancel() }
                let what = "\(call.name), \(isTimeout ? "late" : "given up")"
                _ = try await context.within("\(what), ends") { await late.result }
                // The answer arrives while the next call is in progress.
                let next = context.task(another.perform(subject))
                defer { next.cancel() }
                try await held.release(subject)
                let answer = try await context.within("\(call.name), asked for something else, ends") {
                    await next.result
                }
                findings.expectSame(
                    answer,
                    expected.another,
                    of: call,
                    "\(call.name), asked for something else, after \(what)"
                )
                let otherAnswer = try await other.call(subject)
                findings.expectSame(otherAnswer, expected.other, of: other, "\(other.name) after \(what)")
            }
            return findings.violations
        }
    }

    /// Allows a few attempts at most, and only one if a second would take effect again.
    private func lostConnection(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        let tag: CapabilityTag? = if case .known(let tag) = call.repetition { tag } else { nil }
        return rule(
            "TIME-08",
            "A lost connection is retried a few times at most, and not at all for calls that are not idempotent",
            needsClock: false
        ) { subject, context in
            var findings = Findings()
            let isRepeatable = call.repetition == .harmless || tag.map(context.capabilities.contains) ?? false
            for fault in [VendorFault.reset, .emptyReply] {
                _ = try await attempt(call, subject, fault, atMost: isRepeatable ? attempts : 1, &findings)
            }
            return findings.violations
        }.consulting(tag.map { [$0] } ?? [])
    }

    private func rule(
        _ id: RuleID,
        _ title: String,
        requires: Set<CapabilityTag> = [],
        needsClock: Bool = true,
        _ body: @escaping Rule<Subject>.Body
    ) -> Rule<Subject> {
        Rule(id, title, requires: requires, bound: .seconds(5)) { subject, context in
            if needsClock { _ = try clock(subject) }
            try await prepare(subject)
            return try await body(subject, context)
        }
    }

    /// Expects a call that the vendor keeps waiting in that way to last for half of its time, and to end when the time
    /// is up.
    ///
    /// - Parameter limit: the call's time; nil for the deadline.
    private func timingOut(
        _ call: ProbedCall<Subject>,
        _ subject: Subject,
        _ context: RuleContext,
        _ fault: VendorFault,
        after limit: Duration? = nil
    ) async throws -> [Violation] {
        var findings = Findings()
        try await call.inject(subject, fault, 1)
        let waiting = try await held.start(call.call, of: subject, context)
        defer { waiting.cancel() }
        if let limit {
            try await context.within("the call has an idle time of \(limit) on the injected clock", unless: waiting) {
                try await clock(subject).waitForSleeper(for: limit * 0.8...limit)
            }
            try clock(subject).advance(by: limit * 0.5)
        } else {
            try await advance(subject, by: 0.5, context)
        }
        // Another call goes all the way to the vendor and back; an end that comes too early comes before that.
        try await context.never("\(call.name) ends before its time is up", { _ = await waiting.result }) {
            _ = try await fence(beside: call).call(subject)
        }
        try clock(subject).advance(by: (limit ?? deadline(subject)) * 0.6)
        try await findings.expectTimeout(of: waiting, isTimeUp(call), call.name, context)
        return findings.violations
    }

    /// A call that may be made while another one is held.
    private func fence(beside call: ProbedCall<Subject>, isAnother: Bool = false) -> ProbedCall<Subject> {
        if call.isReading, !call.isShared, !isAnother { return call }
        return calls.first { $0.isReading && !$0.isShared && $0.requires.isEmpty && $0.name != call.name } ?? call
    }

    /// Whether an error says that the call's time was up.
    func isTimeUp(_ call: ProbedCall<Subject>) -> @Sendable (any Error) -> Bool {
        call.repetition == .harmless ? isTimeout : isOutcomeUnknown ?? isTimeout
    }

    /// Advances the clock by that part of the deadline, once the call sleeps until the deadline.
    private func advance(_ subject: Subject, by part: Double, _ context: RuleContext) async throws {
        let (clock, deadline) = (try clock(subject), deadline(subject))
        try await context.within("the call has its deadline on the injected clock") {
            try await clock.waitForSleeper(of: deadline * 0.8)
        }
        clock.advance(by: deadline * part)
    }

    /// - Returns: the port's error.
    private func attempt(
        _ probed: ProbedCall<Subject>,
        _ subject: Subject,
        _ fault: VendorFault,
        atMost limit: Int,
        _ findings: inout Findings
    ) async throws -> (any Error)? {
        try await prepare(subject)
        let calls = try await probed.arrivals(subject)
        try await probed.inject(subject, fault, limit + 5)
        switch await skippingPauses(probed, subject) {
        case .success(let answer):
            findings.add("\(probed.name), \(fault): expected an error, got \(answer)")
            return nil
        case .failure(let error):
            let made = try await probed.arrivals(subject) - calls
            findings.expect(
                (1...limit).contains(made),
                "\(probed.name), \(fault): made \(made) times, expected at most \(limit)"
            )
            return error
        }
    }

    /// Makes an attempt. If there is a clock, it is advanced over the pauses that a vendor's SDK makes on it.
    private func skippingPauses(_ probed: ProbedCall<Subject>, _ subject: Subject) async -> Result<
        any Sendable, any Error
    > {
        var skipping: Task<Void, any Error>?
        do {
            let clock = try clock(subject)
            let longest = max(.milliseconds(10), deadline(subject) / 20)
            skipping = Task(executorPreference: nil) {
                while !Task.isCancelled {
                    try await clock.waitForSleeper(for: .milliseconds(10)...longest)
                    clock.advance(by: longest)
                }
            }
        } catch {
            // Without a clock, the pauses take their time.
        }
        let result: Result<any Sendable, any Error>
        do { result = .success(try await probed.call(subject)) } catch { result = .failure(error) }
        skipping?.cancel()
        // It could advance the clock once more, into the next call.
        _ = await skipping?.result
        return result
    }
}

extension Findings {
    fileprivate mutating func expectTimeout(
        of call: Task<any Sendable, any Error>,
        _ isTimeout: (any Error) -> Bool,
        _ what: String,
        _ context: RuleContext
    ) async throws {
        let result = try await context.within("\(what) ends when its time is up") { await call.result }
        if case .failure(let error) = result, isTimeout(error) { return }
        add("\(what): expected a timeout, got \(result.text)")
    }
}
