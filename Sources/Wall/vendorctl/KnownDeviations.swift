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
    ),
    KnownDeviation(
        .lostCapability("oddCallbacks", by: "v2"),
        reason: "its SDK has no callbacks that could be odd",
        link: "MIGRATION.md, D9",
        expires: "2027-06-30"
    ),
]
