import Cofferdam
import CofferdamContracts
import SanctuaryDomain

enum LifecycleMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("LIFE-03", "keeps every answer in one slot") { subject, effect in
            let slot = Slot()
            return subject.replacingAnimal { catalogue, id in
                let answer = slot.exchange(try await catalogue.animal(id))
                if answer.id != id { effect.occurred() }
                return answer
            }
        },
        Mutant("LIFE-03", "opens the same instance again") { subject, effect in
            var mutated = subject
            mutated.openAnother = {
                effect.occurred()
                return subject
            }
            return mutated
        },
    ]
}

private final class Slot: Sendable {
    private let animal = Mutex<Animal?>(nil)

    /// Keeps the new answer, and gives the one that was kept.
    func exchange(_ new: Animal) -> Animal {
        animal.withLock { kept in
            defer { kept = new }
            return kept ?? new
        }
    }
}
