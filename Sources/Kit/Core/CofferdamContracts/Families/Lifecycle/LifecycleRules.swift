extension LifecycleOperation {
    /// LIFE-01 and LIFE-03 for each call, LIFE-03 for two instances, and LIFE-02 for all calls together.
    public var rules: [Rule<Subject>] {
        let starts: [(name: String, rules: [Rule<Subject>])] = calls.map {
            ($0.name, [startsWithoutVendor($0).requiring($0.requires)])
        }
        var crossings: [(name: String, rules: [Rule<Subject>])] = calls.map {
            ($0.name, [neverCross($0).requiring($0.requires)])
        }
        if let instances { crossings.append((Self.twoInstances, [sharesNothing(instances)])) }
        return Rule.each(starts) + [endsWithoutVendor] + Rule.each(crossings)
    }

    static var twoInstances: String { "two instances" }

    private func startsWithoutVendor(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        let rule = Rule<Subject>(
            "LIFE-01",
            "An instance opens without a reachable vendor, and reports the vendor as unreachable",
            harnessCapabilities: opening.harnessCapabilities,
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            guard let nowhere = opening.nowhere else {
                throw UnmetRequirements(harnessCapabilities: opening.harnessCapabilities)
            }
            let other = try await context.within("an instance without a vendor") {
                try await nowhere(subject, .refused)
            }
            let result = try await context.within("an answer of \(call.name) without a vendor") {
                await context.task(call.call.perform(other)).result
            }
            let isExpected = if case .failure(let error) = result { isUnreachable(error) } else { false }
            let what = "\(call.name) without a vendor"
            findings.expect(isExpected, "\(what): expected it to be unreachable, got \(result.text)")
            try await context.within("the end of an instance without a vendor") { try await opening.close(other, ()) }
            return findings.violations
        }
        guard needingSession.contains(call.name) else { return rule }
        return rule.inapplicable(
            because: "it needs a signed-in user, and without a vendor there is none: see AUTH-10"
        )
    }

    private var endsWithoutVendor: Rule<Subject> {
        Rule(
            "LIFE-02",
            "Closing is prompt even if the vendor does not answer, ends running calls, and may be repeated",
            consults: calls.reduce(into: []) { $0.formUnion($1.requires) },
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            let calls = calls.filter { $0.requires.isSubset(of: context.capabilities) }
            try await prepare(subject)
            for call in calls { _ = try await call.call(subject) }
            var pending: [Task<any Sendable, any Error>] = []
            defer { for task in pending { task.cancel() } }
            for call in calls {
                try await call.inject(subject, .hold, 1)
                pending.append(try await held.start(call.call, of: subject, held: pending.count + 1, context))
            }
            try await context.within("the end") {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 { group.addTask { try await opening.close(subject, ()) } }
                    try await group.waitForAll()
                }
            }
            for (call, task) in zip(calls, pending) {
                let result = try await context.within("the end of \(call.name)") { await task.result }
                guard case .success(let answer) = result else { continue }
                findings.add("\(call.name): the vendor has not answered, and the result is \(answer)")
            }
            try await context.within("the second end") { try await opening.close(subject, ()) }
            for call in calls {
                let result = try await context.within("\(call.name) after the end") {
                    await context.task(call.call.perform(subject)).result
                }
                guard case .success(let answer) = result else { continue }
                findings.add("\(call.name) after the end: expected an error, got \(answer)")
            }
            return findings.violations
        }
    }

    private func neverCross(_ call: ProbedCall<Subject>) -> Rule<Subject> {
        let rule = crossing { subject, context in
            var findings = Findings()
            try await prepare(subject)
            let questions = try await questions(about: call, subject)
            var expected: [any Sendable] = []
            for question in questions { expected.append(try await question(subject)) }
            let answers = Set(expected.map { "\(call.comparable($0))" })
            findings.expectEqual(
                answers.count,
                questions.count,
                "\(call.name): different answers to different questions"
            )
            let rounds = max(1, (call.isReading ? 50 : 10) / max(1, questions.count))
            let attempts = (0..<rounds).flatMap { _ in questions.map { $0.perform(subject) } }
            let given = try await withThrowingTaskGroup(of: (Int, any Sendable).self) { group in
                for (index, attempt) in attempts.enumerated() {
                    group.addTask { (index % questions.count, try await attempt()) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (index, answer) in given {
                findings.expectSame(answer, expected[index], of: call, "\(call.name), question \(index + 1)")
            }
            return findings.violations
        }
        if canCross(call) { return rule }
        return rule.inapplicable(
            because: "it takes no input, or returns no answer, so no other answer could be mistaken for its own"
        )
    }

    /// Whether there are two inputs for which the call's answers differ.
    func canCross(_ call: ProbedCall<Subject>) -> Bool { call.another != nil || questions[call.name] != nil }

    private func questions(
        about call: ProbedCall<Subject>,
        _ subject: Subject
    ) async throws -> [AnyPortCall<Subject>] {
        if let questions = questions[call.name] { return try await questions(subject) }
        return [call.call] + (call.another.map { [$0] } ?? [])
    }

    private func sharesNothing(_ instances: Instances) -> Rule<Subject> {
        crossing { subject, _ in
            var findings = Findings()
            let other = try await instances.another(subject, ())
            do {
                if let shared = try await instances.sharedState(subject, other) { findings.add(shared) }
            } catch {
                try await opening.close(other, ())
                throw error
            }
            try await opening.close(other, ())
            return findings.violations
        }.requiring([instances.capability])
    }

    private func crossing(_ body: @escaping Rule<Subject>.Body) -> Rule<Subject> {
        Rule("LIFE-03", "Answers of concurrent calls never mix, and two instances share no state", body: body)
    }
}
