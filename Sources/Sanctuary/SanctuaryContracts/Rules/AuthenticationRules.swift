import CofferdamContracts
import SanctuaryDomain

/// AUTH: credentials.
enum AuthenticationRules {
    static let all: [Rule<SanctuarySubject>] = [refreshAndRetry, oneRefresh, refused]

    private static let refreshAndRetry = Rule<SanctuarySubject>(
        "AUTH-01",
        "An expired token costs one refresh and one retry, and the caller sees success",
        requires: [Capability.sessionRefresh.tag]
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.seeded)
        try await subject.signIn()
        let before = try await subject.services.orders.orders(PageRequest())
        let calls = try await subject.probe.calls(of: .orders)
        try await subject.probe.expireAccessTokens()
        do {
            findings.expectEqual(try await subject.services.orders.orders(PageRequest()), before, "orders")
        } catch let error as SanctuaryError {
            findings.add("the caller sees \(error)")
        }
        findings.expectEqual(try await subject.probe.calls(of: .refresh), 1, "refreshes")
        findings.expectEqual(try await subject.probe.calls(of: .orders) - calls, 2, "calls: one refused, one retried")
        return findings.violations
    }

    private static let oneRefresh = Rule<SanctuarySubject>(
        "AUTH-02",
        "However many callers meet an expired token, there is one refresh, and all succeed",
        requires: [Capability.sessionRefresh.tag]
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.seeded)
        try await subject.signIn()
        try await subject.probe.expireAccessTokens()
        let orders = subject.services.orders
        let failures = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        _ = try await orders.orders(PageRequest())
                        return nil
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [String]()) { failures, failure in
                if let failure { failures.append(failure) }
            }
        }
        findings.expect(failures.isEmpty, "\(failures.count) of 100 callers failed: \(failures.first ?? "")")
        findings.expectEqual(try await subject.probe.calls(of: .refresh), 1, "refreshes")
        return findings.violations
    }

    private static let refused = Rule<SanctuarySubject>(
        "AUTH-10",
        "Without valid credentials, every call that needs them is refused",
        bound: .seconds(3)
    ) { subject, context in
        var findings = Findings()
        try await subject.probe.reset(.seeded)
        await expectRefusals(of: subject.services, context, "never signed in", &findings)

        let wrong = Credentials(user: subject.credentials.user, password: subject.credentials.password + "!")
        await findings.expectError(.authenticationRequired, "sign in with a wrong password") {
            try await subject.services.accounts.signIn(wrong)
        }
        findings.expectEqual(try await subject.services.accounts.state(), .signedOut, "state after a refused sign in")
        // Whoever is signed in by now is refused nothing, and waits for events that never come.
        guard findings.violations.isEmpty else { return findings.violations }
        await expectRefusals(of: subject.services, context, "after a refused sign in", &findings)

        try await subject.signIn()
        _ = try await subject.services.orders.orders(PageRequest())
        try await subject.services.accounts.signOut()
        await expectRefusals(of: subject.services, context, "after signing out", &findings)
        return findings.violations
    }

    private static func expectRefusals(
        of services: SanctuaryServices,
        _ context: RuleContext,
        _ when: String,
        _ findings: inout Findings
    ) async {
        let line = OrderLine(article: "meat", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur))
        let calls: [(String, @Sendable () async throws -> any Sendable)] = [
            ("orders", { try await services.orders.orders(PageRequest()) }),
            ("order", { try await services.orders.order(OrderID("o-1")) }),
            ("place", { try await services.orders.place(OrderDraft(lines: [line], key: "AUTH-10")) }),
            ("messages", { try await services.messages.messages(PageRequest()) }),
            ("send", { try await services.messages.send(MessageDraft(text: "hello", key: "AUTH-10")) }),
            ("message events", { try await collect(services.messages.events()) { _ in true } }),
        ]
        for (name, call) in calls {
            await findings.expectError(.authenticationRequired, "\(name) \(when)") {
                // A stream that is not refused may have nothing to say.
                try await context.within("an answer", call)
            }
        }
    }
}
