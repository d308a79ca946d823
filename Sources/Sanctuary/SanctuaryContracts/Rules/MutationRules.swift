import CofferdamContracts
import SanctuaryDomain

/// MUT: what is changed is changed.
enum MutationRules {
    static let all: [Rule<SanctuarySubject>] = [visibleAtOnce]

    private static let visibleAtOnce = Rule<SanctuarySubject>(
        "MUT-01",
        "An order that was placed is found at once, by its id and in the list, exactly as it was returned"
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.empty)
        let account = try await subject.signIn()
        let orders = subject.services.orders
        for (number, amount) in [1, 450, 123_456_789].enumerated() {
            let lines = [
                OrderLine(
                    article: "meat",
                    quantity: 1 + number,
                    unitPrice: Money(minorUnits: Int64(amount), currency: account.currency)
                ),
                OrderLine(
                    article: "mirror & \"frame\"",
                    quantity: 1,
                    unitPrice: Money(minorUnits: 99, currency: account.currency)
                ),
            ]
            let placed = try await orders.place(OrderDraft(lines: lines, key: "MUT-01-\(number)"))
            findings.expectEqual(placed.lines, lines, "lines of the placed order")
            do {
                findings.expectEqual(try await orders.order(placed.id), placed, "order by id")
            } catch let error as SanctuaryError {
                findings.add("order by id: expected \(placed.id), got \(error)")
            }
            let listed = await Walk(SanctuaryCalls.orders.perform(subject), limit: 50, atMost: 3)
            findings.expectEqual(listed.items.filter { $0.id == placed.id }, [placed], "order in the list")
        }
        return findings.violations
    }
}

extension SanctuarySubject {
    /// Signs in with the credentials that the vendor knows.
    @discardableResult
    func signIn() async throws -> Account { try await services.accounts.signIn(credentials) }
}
