import CofferdamContracts
import SanctuaryDomain

/// CANC: leaving.
enum CancellationRules {
    static let all: [Rule<SanctuarySubject>] = [cancelledBefore, cancelledWhileWaiting]

    private static let cancelledBefore = Rule<SanctuarySubject>(
        "CANC-01",
        "A task that is cancelled already gets CancellationError, and the vendor is not called",
        bound: .seconds(5)
    ) { subject, context in
        var findings = Findings()
        let id = try await prepare(subject)
        let result = try await context.within("the cancelled task ends") {
            await context.task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await subject.services.catalogue.animal(id)
            }.result
        }
        findings.expectCancellation(result)
        findings.expectEqual(try await subject.probe.calls(of: .animal), 0, "calls")
        return findings.violations
    }

    private static let cancelledWhileWaiting = Rule<SanctuarySubject>(
        "CANC-02",
        "A task that is cancelled while the vendor has not answered gets CancellationError itself, in time",
        bound: .seconds(5)
    ) { subject, context in
        var findings = Findings()
        let id = try await prepare(subject)
        try await subject.probe.inject(.hold, on: .animal, times: 1)
        let call = context.task { try await subject.services.catalogue.animal(id) }
        try await context.within("the call reaches the vendor") {
            try await subject.probe.waitForCalls(of: .animal, atLeast: 1)
        }
        call.cancel()
        let result = try await context.within("the cancelled call ends") { await call.result }
        findings.expectCancellation(result)
        try await subject.probe.releaseHeld()
        return findings.violations
    }

    private static func prepare(_ subject: SanctuarySubject) async throws -> AnimalID {
        try await subject.probe.reset(.empty)
        return try await subject.probe.addAnimal(AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1))
    }
}

extension Findings {
    fileprivate mutating func expectCancellation(_ result: Result<Animal, any Error>) {
        switch result {
        case .failure(is CancellationError): break
        case .failure(let error): add("expected CancellationError, got \(type(of: error)): \(error)")
        case .success(let animal): add("expected CancellationError, got \(animal)")
        }
    }
}
