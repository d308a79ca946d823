import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// What is known not to be as the contract wants it, and until when that is put up with.
let knownDeviations: [KnownDeviation] =
    unchecked.map { capability in
        KnownDeviation(
            .uncheckedCapability(capability.tag),
            reason: "no rule requires it yet",
            link: "MIGRATION.md",
            expires: reviewDay
        )
    } + [
        KnownDeviation(
            .lostCapability(Capability.nicknames.tag, by: "v2"),
            reason: "exported before the cut-over",
            link: "MIGRATION.md, D29",
            expires: reviewDay
        )
    ]

private let unchecked: [Capability] = [.nicknames, .instances, .mixedCurrencies, .idempotencyKeys]

private let reviewDay: CalendarDay = "2027-06-30"
