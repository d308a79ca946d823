extension CancellationOperation {
    func search(_ search: Search) -> Rule<Subject> {
        let probed = search.call
        return Rule(
            "CANC-09",
            "A caller that gives up a search undoes nothing, and does not end it for the other callers",
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            for others in [0, 2] {
                try await prepare(subject)
                let before = try await search.state(subject)
                let expected = try await probed.call(subject)
                // If the callers do not share the search, each is held.
                try await probed.inject(subject, .hold, 1 + others)
                let first = try await held.start(probed.call, of: subject, context)
                let waiting = (0..<others).map { _ in context.task(probed.call.perform(subject)) }
                defer { for task in waiting { task.cancel() } }
                try await passTime(beside: probed, subject)
                first.cancel()
                let result = try await context.within("\(probed.name), given up, ends") { await first.result }
                findings.expectCancellation(result, probed.name)
                // Whatever giving up causes at the vendor happens before these calls have ended.
                try await passTime(beside: probed, subject)
                try await search.clearFaults(subject)
                for other in waiting {
                    let answer = try await context.within("\(probed.name) of another ends") { await other.result }
                    findings.expectSame(answer, expected, of: probed, "\(probed.name) of another, who waited")
                }
                let next = try await context.within("the next \(probed.name) ends") {
                    try await probed.call(subject)
                }
                findings.expectSame(next, expected, of: probed, "the next \(probed.name)")
                let after = try await search.state(subject)
                findings.expectSame(after, before, "what was there before, with \(others) others")
            }
            return findings.violations
        }
    }

    /// Makes other calls, all the way to the vendor and back, so that calls begun before have reached the point where
    /// they wait.
    func passTime(beside probed: ProbedCall<Subject>, _ subject: Subject) async throws {
        guard let fence = calls.first(where: { $0.isReading && !$0.isShared && $0.requires.isEmpty }) else { return }
        for _ in 0..<5 { _ = try await fence.call(subject) }
    }

    func mutants(of search: Search) -> [Mutant<Subject>] {
        let call = search.call.call
        return [
            Mutant("CANC-09", "ends the search for all callers when one gives up") { subject, effect in
                let fate = SharedFate(effect)
                return call.decorated(in: subject) { try await fate.perform($0) }
            },
            Mutant("CANC-09", "releases its result when a caller gives up") { subject, effect in
                call.decorated(in: subject) { clean in
                    do {
                        return try await clean()
                    } catch is CancellationError {
                        effect.occurred()
                        try await Task(executorPreference: nil) { try await search.undo(subject) }.value
                        throw CancellationError()
                    }
                }
            },
        ]
    }
}
