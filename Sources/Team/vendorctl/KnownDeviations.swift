import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// What is known not to be as the contract wants it, and until when that is put up with.
let knownDeviations: [KnownDeviation] = [
    KnownDeviation(
        .lostCapability(Capability.nicknames.tag, by: "v2"),
        reason: "exported before the cut-over",
        link: "MIGRATION.md, D29",
        expires: "2027-06-30"
    )
]
