import CofferdamContracts
import SanctuaryDomain

enum ErrorMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("ERR-01", "lets the vendor's error pass") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch let error as SanctuaryError {
                    effect.occurred()
                    throw VendorError(error)
                }
            }
        },
        Mutant("ERR-02", "takes a status that it does not know for success") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch  where SanctuaryError.isCode(.unknown, error) {
                    effect.occurred()
                    return .madeUp(id)
                }
            }
        },
        Mutant("ERR-04", "says of a lost connection what no other adapter says") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch  where SanctuaryError.isCode(.unreachable, error) {
                    effect.occurred()
                    throw SanctuaryError(.unknown, "the connection was lost")
                }
            }
        },
        Mutant("ERR-04", "forgets when to try again") { subject, effect in
            subject.replacingAnimal { catalogue, id in
                do {
                    return try await catalogue.animal(id)
                } catch var error as SanctuaryError where error.retryAfter != nil {
                    error.retryAfter = nil
                    effect.occurred()
                    throw error
                }
            }
        },
    ]
}

/// What no port may show.
private struct VendorError: Error {
    let text: String

    init(_ error: SanctuaryError) { text = error.description }
}
