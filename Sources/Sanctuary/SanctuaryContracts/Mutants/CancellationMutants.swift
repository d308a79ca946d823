import CofferdamContracts
import SanctuaryDomain

enum CancellationMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("CANC-01", "calls the vendor for a task that is cancelled already") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                if Task.isCancelled { effect.occurred() }
                return try await Task { try await catalogue.animal(id) }.value
            }
        },
        Mutant("CANC-02", "tells of a cancellation as a network error") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch is CancellationError {
                    effect.occurred()
                    throw SanctuaryError(.unreachable, "the connection was closed")
                }
            }
        },
    ]
}
