extension AuthenticationOperation {
    /// A rule for adapters whose tokens are refreshed; it begins with a signed-in user.
    func refreshing(_ id: RuleID, _ title: String, _ body: @escaping Rule<Subject>.Body) -> Rule<Subject> {
        Rule(id, title, requires: [sessionRefresh], bound: .seconds(5)) { subject, context in
            try await begin(subject)
            return try await body(subject, context)
        }
    }

    func begin(_ subject: Subject) async throws {
        try await vendor.reset(subject)
        try await session.signIn(subject)
    }

    /// The errors that this many concurrent callers get.
    func errors(of callers: Int, _ call: ProbedCall<Subject>, _ subject: Subject) async -> [any Error] {
        await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    do {
                        _ = try await call.call(subject)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { errors, error in if let error { errors.append(error) } }
        }
    }

    func expectRefusal(
        of call: AnyPortCall<Subject>,
        _ subject: Subject,
        _ context: RuleContext,
        _ when: String,
        _ findings: inout Findings
    ) async {
        await expectRefusal("\(call.name) \(when)", &findings) {
            // A stream that is not refused may have no event to deliver.
            try await context.within("an answer", call.perform(subject))
        }
    }

    func expectRefusal<Value>(
        _ what: String,
        _ findings: inout Findings,
        _ operation: () async throws -> Value
    ) async {
        do {
            findings.add("\(what): expected a refusal, got \(try await operation())")
        } catch {
            findings.expect(isAuthenticationRequired(error), "\(what): expected a refusal, got \(error)")
        }
    }
}
