import CofferdamContracts
import SanctuaryDomain

/// LIFE: many calls, many instances.
enum LifecycleRules {
    static let all: [Rule<SanctuarySubject>] = [neverCross]

    private static let neverCross = Rule<SanctuarySubject>(
        "LIFE-03",
        "Answers of parallel calls never cross, and two instances share no state"
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.empty)
        let seeded = try await subject.probe.seedAnimals(50)
        let catalogue = subject.services.catalogue
        let answers = try await withThrowingTaskGroup(of: (Animal, Animal).self) { group in
            for animal in seeded { group.addTask { (animal, try await catalogue.animal(animal.id)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (asked, answer) in answers where asked != answer {
            findings.add("asked for \(asked.id), got \(answer.id)")
        }
        guard let openAnother = subject.openAnother else { return findings.violations }
        let other = try await openAnother()
        let shared: String?
        do {
            shared = try await sharedState(of: subject, and: other)
        } catch {
            await other.services.close()
            throw error
        }
        await other.services.close()
        if let shared { findings.add(shared) }
        return findings.violations
    }

    /// Signs in on one of two, and closes the other.
    private static func sharedState(of one: SanctuarySubject, and other: SanctuarySubject) async throws -> String? {
        try await one.signIn()
        let state = try await other.services.accounts.state()
        guard state == .signedOut else { return "signed in on one instance, the other is \(state)" }
        await other.services.close()
        do {
            _ = try await one.services.orders.orders(PageRequest())
        } catch let error as SanctuaryError {
            return "one instance was closed, and the other one says \(error)"
        }
        return nil
    }
}
