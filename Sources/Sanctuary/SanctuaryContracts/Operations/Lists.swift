import CofferdamContracts
import SanctuaryDomain

/// The ports' lists.
enum Lists {
    static let animals = ListOperation(
        call: SanctuaryCalls.animals,
        vendorCursors: Capability.vendorCursors.tag,
        isInvalidCursor: { SanctuaryError.isCode(.invalidCursor, $0) },
        seed: { subject, count in
            try await subject.probe.reset(.empty)
            return try await subject.probe.seedAnimals(count)
        },
        setQuirk: { try await $0.probe.setPagingQuirk($1) },
        expireCursors: { try await $0.probe.expireCursors() }
    )
}
