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
    ),
    KnownDeviation(
        .rule("CANC-07", on: "v2"),
        reason: "its SDK has async functions and no callbacks, so that none can be called twice or never",
        link: "MIGRATION.md, D9",
        expires: "2027-06-30",
        outcome: .skipped
    ),
]
#endif
