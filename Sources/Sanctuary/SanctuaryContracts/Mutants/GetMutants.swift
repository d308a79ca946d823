import CofferdamContracts
import SanctuaryDomain

enum GetMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("GET-01", "makes nothing of a 0") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                var animal = try await catalogue.animal(id)
                if animal.legs == .known(0) || animal.legs == .ambiguousZero {
                    animal.legs = .unknown
                    effect.occurred()
                }
                return animal
            }
        },
        Mutant("GET-02", "makes up an animal for an unknown id") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch  where SanctuaryError.isCode(.notFound, error) {
                    effect.occurred()
                    return .madeUp(id)
                }
            }
        },
        Mutant("GET-03", "refuses fields that it does not know") { subject, effect in
            // The port cannot see the field, so that the vendor does to the animal what a strict decoder makes of it.
            var subject = subject
            subject.probe = MutatedProbe(clean: subject.probe) { corruption in
                guard corruption == .extraField else { return corruption }
                effect.occurred()
                return .missing(field: "name")
            }
            return subject
        },
        Mutant("GET-04", "puts a default in the place of a missing field") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch  where SanctuaryError.isCode(.decoding, error) {
                    effect.occurred()
                    return .madeUp(id)
                }
            }
        },
        Mutant("GET-07", "drops animals of unknown groups") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                var page = try await catalogue.animals(request)
                if page.items.contains(where: \.group.isUnknown) { effect.occurred() }
                page.items.removeAll(where: \.group.isUnknown)
                return page
            }
        },
        Mutant("GET-01", "makes nothing of a 0 in a page") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                var page = try await catalogue.animals(request)
                for index in page.items.indices where page.items[index].legs == .known(0) {
                    page.items[index].legs = .unknown
                    effect.occurred()
                }
                return page
            }
        },
        Mutant("GET-04", "does not say which field is missing") { subject, effect in
            subject.replacingAnimals { catalogue, request in
                do {
                    return try await catalogue.animals(request)
                } catch  where SanctuaryError.isCode(.decoding, error) {
                    effect.occurred()
                    throw SanctuaryError(.decoding, "a field is missing")
                }
            }
        },
    ]
}
