#if Sandbox
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// The known deviations from the contract, each with the date until which it is accepted.
let knownDeviations: [KnownDeviation] = [
    KnownDeviation(
        .lostCapability(Capability.nicknames.tag, by: "v2"),
        reason: "exported before the cut-over",
        link: "MIGRATION.md, D29",
        expires: "2027-06-30"
    )
]
#endif
