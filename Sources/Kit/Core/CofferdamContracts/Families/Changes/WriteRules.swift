import Cofferdam

extension WriteOperation {
    /// MUT-09 for each write, and MUT-06 for those that have a `count`.
    public var rules: [Rule<Subject>] {
        Rule.each(
            writes.map { write in
                let rules = (write.count.map { [doneOnce(write, $0)] } ?? []) + [uncertain(write)]
                return (write.call.name, rules.map { $0.requiring(write.call.requires) })
            }
        )
    }

    private func doneOnce(
        _ write: Write,
        _ count: @escaping @Sendable (Subject) async throws -> Int
    ) -> Rule<Subject> {
        let tag: CapabilityTag? = if case .known(let tag) = write.call.repetition { tag } else { nil }
        return Rule(
            "MUT-06",
            "A write with an unknown outcome is not repeated, unless every attempt carries the same key",
            consults: tag.map { [$0] } ?? []
        ) { subject, context in
            var findings = Findings()
            let hasKey = tag.map(context.capabilities.contains) ?? false
            for fault in [VendorFault.reset, .emptyReply, .truncated, .appliedThenReset] {
                try await prepare(subject)
                let (before, calls) = (try await count(subject), try await write.call.arrivals(subject))
                try await write.call.inject(subject, fault, 1)
                var isAnswered = false
                do {
                    _ = try await write.call.call(subject)
                    isAnswered = true
                } catch {
                    try Task.checkCancellation()
                }
                try await clearFaults(subject)
                let made = try await write.call.arrivals(subject) - calls
                findings.expect(
                    made == 1 || hasKey && made > 1,
                    "\(write.call.name), \(fault): \(made) calls"
                )
                let done = try await count(subject) - before
                findings.expect(done <= 1, "\(write.call.name), \(fault): done \(done) times")
                let mustBeDone = isAnswered || fault == .appliedThenReset
                findings.expect(done > 0 || !mustBeDone, "\(write.call.name), \(fault): not done")
            }
            return findings.violations
        }
    }

    /// How the answer to a write is lost.
    private enum Loss: CustomStringConvertible {
        case timeout, cancellation, closing
        case fault(VendorFault)

        /// Closing comes last: nothing can be done after it.
        static var all: [Self] {
            let faults: [VendorFault] = [.appliedThenReset, .truncated, .malformedChunk, .html, .garbage]
            return [.timeout, .cancellation] + faults.map { .fault($0) } + [.closing]
        }

        var description: String {
            switch self {
            case .timeout: "its time runs out"
            case .cancellation: "it is cancelled"
            case .closing: "it is overtaken by closing"
            case .fault(let fault): fault.description
            }
        }
    }

    private func uncertain(_ write: Write) -> Rule<Subject> {
        Rule(
            "MUT-09",
            "A write whose answer is lost in any way has an unknown outcome, and repeating it with its key creates no duplicate",
            consults: [.http],
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            try await prepare(subject)
            for loss in Loss.all {
                if case .fault(let fault) = loss, !context.supports(fault) { continue }
                let before = try await write.key?.count(subject) ?? 0
                let attempt = write.call.call.perform(subject)
                let result = try await lose(attempt, of: write.call, by: loss, subject, context)
                check(result, after: loss, of: write.call, &findings)
                if case .closing = loss { break }
                try await clearFaults(subject)
                try await repeated(attempt, of: write, from: before, after: loss, subject, &findings)
            }
            return findings.violations
        }
    }

    /// Makes the attempt, and loses its answer.
    private func lose(
        _ attempt: @escaping AnyPortCall<Subject>.Perform,
        of call: ProbedCall<Subject>,
        by loss: Loss,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> Result<any Sendable, any Error> {
        if case .fault(let fault) = loss {
            try await call.inject(subject, fault, 1)
            return try await context.within("\(call.name), \(fault), ends") { await context.task(attempt).result }
        }
        try await call.inject(subject, .hold, 1)
        let task = try await held.start(attempt, "\(call.name)", of: subject, context)
        defer { task.cancel() }
        switch loss {
        case .timeout: try await outlast(subject)
        case .cancellation: task.cancel()
        case .closing: try await context.within("the closing ends") { await close(subject) }
        case .fault: break
        }
        return try await context.within("\(call.name) ends: \(loss)") { await task.result }
    }

    /// Expects an unknown outcome: the vendor may have carried the write out. Only an adapter that repeats the write
    /// under its key may have an answer.
    private func check(
        _ result: Result<any Sendable, any Error>,
        after loss: Loss,
        of call: ProbedCall<Subject>,
        _ findings: inout Findings
    ) {
        switch (result, loss) {
        case (.success, .fault): break
        case (.failure(is CancellationError), .cancellation): break
        case (.failure(let error), _) where isOutcomeUnknown(error): break
        default: findings.add("\(call.name), \(loss): expected an unknown outcome, got \(result.text)")
        }
    }

    private func repeated(
        _ attempt: AnyPortCall<Subject>.Perform,
        of write: Write,
        from before: Int,
        after loss: Loss,
        _ subject: Subject,
        _ findings: inout Findings
    ) async throws {
        guard let key = write.key else { return }
        let what = "\(write.call.name), repeated with its key after \(loss)"
        do {
            _ = try await attempt()
        } catch {
            findings.expect(key.isTaken(error), "\(what): expected an answer, got \(error)")
        }
        findings.expectEqual(try await key.count(subject) - before, 1, "\(what): how much was written")
    }

    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] { Mutant.each(writes.map { ($0.call.name, mutants(of: $0)) }) }

    private func mutants(of write: Write) -> [Mutant<Subject>] {
        let call = write.call.call
        let reportsFailure = Mutant<Subject>("MUT-09", "reports a lost answer as a failed write") { subject, effect in
            call.decorated(in: subject) { clean in
                do {
                    return try await clean()
                } catch  where isOutcomeUnknown(error) {
                    effect.occurred()
                    throw unreachable
                }
            }
        }
        let retriesBlindly = Mutant<Subject>("MUT-06", "retries after any error") { subject, effect in
            call.decorated(in: subject) { clean in
                do {
                    return try await clean()
                } catch {
                    effect.occurred()
                    return try await call(subject)
                }
            }
        }
        guard write.key != nil else { return write.count == nil ? [reportsFailure] : [reportsFailure, retriesBlindly] }
        let forgetsKey = Mutant<Subject>("MUT-09", "creates a duplicate when a write is repeated") { subject, effect in
            let open = Mutex(false)
            return call.decorated(in: subject) { clean in
                let isRepeat = open.withLock { open in
                    defer { open = false }
                    return open
                }
                do {
                    let answer = try await clean()
                    if isRepeat {
                        effect.occurred()
                        // Another attempt, under another key.
                        _ = try await call(subject)
                    }
                    return answer
                } catch  where isOutcomeUnknown(error) {
                    open.withLock { $0 = true }
                    throw error
                }
            }
        }
        return [reportsFailure, forgetsKey]
    }
}
