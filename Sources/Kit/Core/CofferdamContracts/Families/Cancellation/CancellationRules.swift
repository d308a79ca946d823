import Cofferdam

extension CancellationOperation {
    /// CANC-01 to CANC-08 for each call, and CANC-09 for the calls that share a search.
    public var rules: [Rule<Subject>] {
        let like = calls.first { call in !searches.contains { $0.call.name == call.name } }.map { rules(of: $0) } ?? []
        return Rule.each(calls.map { ($0.name, rules(of: $0)) } + exempt.map { $0.rows(of: like) })
    }

    func rules(of probed: ProbedCall<Subject>) -> [Rule<Subject>] {
        var rules = [cancelledBefore(probed), cancelledWhileWaiting(probed), closed(probed)]
        let alone = [
            cancelledMidway(probed), vendorStops(probed), cancelledAfterwards(probed), othersGoOn(probed),
            callbacks(probed),
        ]
        if probed.isShared {
            let reason = "the search continues for the other callers, and the next call joins it: see CANC-09"
            rules += alone.map { $0.inapplicable(because: reason) }
        } else {
            rules += alone
        }
        rules += searches.filter { $0.call.name == probed.name }.map { search($0) }
        return rules.map { $0.requiring(probed.requires) }
    }

    private func cancelledBefore(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule("CANC-01", "A task that is already cancelled gets CancellationError, and the vendor is not called") {
            subject,
            context in
            var findings = Findings()
            let calls = try await probed.arrivals(subject)
            let result = try await context.within("the cancelled task ends") {
                await context.task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await probed.call(subject)
                }.result
            }
            findings.expectCancellation(result, probed.name)
            findings.expectEqual(try await probed.arrivals(subject) - calls, 0, "\(probed.name): calls")
            return findings.violations
        }
    }

    private func cancelledWhileWaiting(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule(
            "CANC-02",
            "A call cancelled before the vendor answers throws CancellationError itself, promptly"
        ) { subject, context in try await cancelling(probed, of: subject, context, by: .hold) }
    }

    private func cancelledMidway(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule(
            "CANC-03",
            "A call cancelled mid-answer throws CancellationError itself, and reads no further"
        ) { subject, context in
            try await cancelling(probed, of: subject, context, by: .stall(afterBytes: 1)) {
                try await context.within("the vendor stops sending") { try await held.wait(subject, 0) }
            }
        }
    }

    private func vendorStops(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule("CANC-04", "Cancelling a call stops the vendor's work on it") { subject, context in
            try await cancelling(probed, of: subject, context, by: .hold) {
                try await context.within("the vendor has dropped the cancelled call") {
                    try await held.wait(subject, 0)
                }
            }
        }
    }

    private func cancelledAfterwards(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule("CANC-05", "Cancelling after the answer has no effect, and the next call is answered") {
            subject,
            context in
            var findings = Findings()
            let expected = try await probed.call(subject)
            let done = context.task(probed.call.perform(subject))
            findings.expectSuccess(of: await done.result, probed.name)
            done.cancel()
            findings.expectSame(try await done.value, expected, of: probed, "\(probed.name), cancelled afterwards")
            try await probed.inject(subject, .hold, 1)
            let left = try await held.start(probed.call, of: subject, context)
            left.cancel()
            _ = try await context.within("the cancelled \(probed.name) ends") { await left.result }
            await findings.expectSame("\(probed.name) after a cancelled one", expected, of: probed, subject)
            return findings.violations
        }
    }

    private func othersGoOn(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule("CANC-06", "Cancelling one of two concurrent calls leaves the other alone") { subject, context in
            var findings = Findings()
            let expected = try await probed.call(subject)
            try await context.within("nothing is held") { try await held.wait(subject, 0) }
            let arrivals = try await probed.arrivals(subject)
            try await probed.inject(subject, .hold, 2)
            let cancelled = try await held.start(probed.call, of: subject, context)
            let other = try await startBeside(probed, subject, context)
            defer { other.cancel() }
            cancelled.cancel()
            let result = try await context.within("the cancelled \(probed.name) ends") { await cancelled.result }
            findings.expectCancellation(result, probed.name)
            try await context.within("the other \(probed.name) is held alone", unless: other) {
                try await probed.waitForArrivals(subject, arrivals + 2)
                try await held.wait(subject, 1)
            }
            try await held.release(subject)
            let answer = try await context.within("the other \(probed.name) ends") { await other.result }
            findings.expectSame(answer, expected, of: probed, "the other \(probed.name)")
            return findings.violations
        }
    }

    /// Starts another attempt while one is held.
    private func startBeside(
        _ probed: ProbedCall<Subject>,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> Task<any Sendable, any Error> {
        guard probed.isSerial else { return try await held.start(probed.call, of: subject, held: 2, context) }
        let hasBegun = Mutex(false)
        let perform = probed.call.perform(subject)
        let other = context.task {
            hasBegun.withLock { $0 = true }
            return try await perform()
        }
        try await context.within("the other \(probed.name) begins") {
            while !hasBegun.withLock({ $0 }) { await Task.yield() }
        }
        // The attempt may be waiting for its turn, which the vendor cannot see.
        try await passTime(beside: probed, subject)
        return other
    }

    private func callbacks(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        Rule(
            "CANC-07",
            "Each call has exactly one outcome, even if the vendor calls back twice, never, or before the call returns",
            harnessCapabilities: [oddCallbacks],
            bound: .seconds(6)
        ) { subject, context in
            var findings = Findings()
            guard let setCallbackQuirk else {
                findings.add("the description does not say how the vendor's callbacks are made odd")
                return findings.violations
            }
            try await prepare(subject)
            let expected = try await probed.call(subject)
            for quirk in CallbackQuirk.allCases {
                try await setCallbackQuirk(subject, quirk)
                let odd = context.task(probed.call.perform(subject))
                defer { odd.cancel() }
                if quirk == .never { try await letTimeRunOut(for: odd, subject, context) }
                switch try await context.within("\(probed.name), called back \(quirk), ends", { await odd.result }) {
                case .success(let answer) where quirk == .twice:
                    findings.expectSame(answer, expected, of: probed, "\(probed.name), called back twice")
                case .failure(let error) where quirk == .twice:
                    findings.add("\(probed.name), called back twice: expected the answer, got \(error)")
                case .success(let answer): findings.add("\(probed.name), called back \(quirk): got \(answer)")
                case .failure(let error):
                    findings.expect(
                        isPortError(error),
                        "\(probed.name), called back \(quirk): \(type(of: error)) is not an error of the port: \(error)"
                    )
                }
                // A call that timed out before it reached the vendor has left the quirk in place.
                try await setCallbackQuirk(subject, nil)
                await findings.expectSame(
                    "\(probed.name) after one called back \(quirk)",
                    expected,
                    of: probed,
                    subject
                )
            }
            return findings.violations
        }
    }

    /// Lets the call's time run out, unless it ends first.
    private func letTimeRunOut(
        for call: Task<any Sendable, any Error>,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws {
        let outlasting = context.task { try await outlast(subject) }
        defer { outlasting.cancel() }
        do {
            try await context.within("its time runs out", unless: call) { try await outlasting.value }
        } catch is EndedEarly {
            outlasting.cancel()
            // Otherwise the next call's time could run out.
            try await context.within("the clock is left alone") { _ = await outlasting.result }
        }
    }

    private func closed(_ probed: ProbedCall<Subject>) -> Rule<Subject> {
        rule(
            "CANC-08",
            "Closing ends running calls and may be repeated; later calls fail with \"closed\""
        ) { subject, context in
            var findings = Findings()
            try await probed.inject(subject, .hold, 1)
            let pending = try await held.start(probed.call, of: subject, context)
            defer { pending.cancel() }
            for turn in ["first", "second"] {
                try await context.within("the \(turn) closing ends") { await close(subject) }
            }
            let overtaken = try await context.within("the call that went on ends") { await pending.result }
            // How a write reports an unknown outcome is not this rule's concern.
            if probed.isReading { findings.expectClosed(overtaken, isClosed, "\(probed.name), which went on") }
            let result = try await context.within("\(probed.name) after closing ends") {
                await context.task(probed.call.perform(subject)).result
            }
            findings.expectClosed(result, isClosed, "\(probed.name) after closing")
            return findings.violations
        }
    }

    /// Cancels the call while the vendor holds it.
    private func cancelling(
        _ probed: ProbedCall<Subject>,
        of subject: Subject,
        _ context: RuleContext,
        by fault: VendorFault,
        andThen check: @Sendable () async throws -> Void = {}
    ) async throws -> [Violation] {
        var findings = Findings()
        try await probed.inject(subject, fault, 1)
        let task = try await held.start(probed.call, of: subject, context)
        task.cancel()
        let result = try await context.within("the cancelled \(probed.name) ends") { await task.result }
        findings.expectCancellation(result, probed.name)
        try await check()
        try await held.release(subject)
        return findings.violations
    }

    private func rule(_ id: RuleID, _ title: String, _ body: @escaping Rule<Subject>.Body) -> Rule<Subject> {
        Rule(id, title, bound: .seconds(5)) { subject, context in
            try await prepare(subject)
            return try await body(subject, context)
        }
    }
}

extension Findings {
    fileprivate mutating func expectClosed(
        _ result: Result<any Sendable, any Error>,
        _ isClosed: (any Error) -> Bool,
        _ what: String
    ) {
        if case .failure(let error) = result, isClosed(error) { return }
        add("\(what): expected it to be closed, got \(result.text)")
    }

    fileprivate mutating func expectSame<Subject>(
        _ what: String,
        _ expected: any Sendable,
        of probed: ProbedCall<Subject>,
        _ subject: Subject
    ) async {
        do {
            expectSame(try await probed.call(subject), expected, of: probed, what)
        } catch {
            add("\(what): \(error)")
        }
    }
}
