#if Sandbox
import Cofferdam
import CofferdamContracts
import CofferdamTool
import CofferdamUpgrade
import SanctuaryDomain

/// Every difference between the vendor's majors, numbered as in MIGRATION.md, with the drifts that are still visible at
/// the ports. The adapters hide all others: a drift that one of those causes is a defect.
let vendorDifferences: [DriftKnowledge] = [
    .init(id: "D1", title: "numbers became UUIDs"),
    .init(
        id: "D2",
        title: "0 also meant not recorded",
        drifts: ["animals", "animals of a group", "animal"].flatMap { call in
            ["legs", "heads"].map { field in
                KnownDrift(
                    id: "D2",
                    call: call,
                    path: field,
                    reason: "V1 says 0 for none and for not recorded",
                    legacy: ["\(Count.ambiguousZero)"],
                    candidate: ["\(Count.unknown)", "\(Count.known(0))"]
                )
            }
        }
    ),
    .init(id: "D3", title: "names in the reader's language became canonical"),
    .init(id: "D4", title: "kinds became open"),
    .init(id: "D5", title: "offsets became cursors", drifts: [capability(.vendorCursors, "D5")]),
    .init(id: "D6", title: "nothing and offline looked the same"),
    .init(id: "D7", title: "addresses of pictures expire"),
    .init(id: "D8", title: "another picture cache"),
    .init(id: "D9", title: "callbacks became async"),
    .init(id: "D10", title: "delegates became streams"),
    .init(id: "D11", title: "connecting became two steps"),
    .init(id: "D12", title: "connecting again throws"),
    .init(
        id: "D13",
        title: "lost links are re-established",
        drifts: [
            KnownDrift(
                id: "D13",
                call: "accessories",
                path: "link",
                reason: "V1 gives up a lost link at once",
                legacy: ["available"],
                candidate: ["reconnecting"]
            )
        ]
    ),
    .init(id: "D14", title: "other units of battery and time"),
    .init(id: "D15", title: "a second search ends the first"),
    .init(id: "D16", title: "tokens are refreshed", drifts: [capability(.sessionRefresh, "D16")]),
    .init(
        id: "D17",
        title: "a currency for each line",
        drifts: [
            capability(.mixedCurrencies, "D17")
        ]
            + orderCalls.map {
                KnownDrift(
                    id: "D17",
                    call: $0,
                    path: Difference.presence,
                    reason: "V1 leaves out orders in another currency than the account's"
                )
            }
    ),
    .init(id: "D18", title: "orders are retried", drifts: [capability(.idempotencyKeys, "D18")]),
    .init(
        id: "D19",
        title: "paid meant authorized",
        drifts: orderCalls.map {
            KnownDrift(
                id: "D19",
                call: $0,
                path: "status",
                reason: "V1 says paid for three states, of which authorized is the least",
                legacy: ["\(OrderStatus.authorized)"],
                candidate: ["\(OrderStatus.captured)", "\(OrderStatus.partiallyRefunded)"]
            )
        }
    ),
    .init(id: "D20", title: "errors became typed"),
    .init(id: "D21", title: "events are replayed"),
    .init(id: "D22", title: "messages are ordered by the server"),
    .init(id: "D23", title: "seconds became RFC 3339"),
    .init(id: "D24", title: "a renamed delegate method"),
    .init(id: "D25", title: "another session store"),
    .init(id: "D26", title: "signing out does more"),
    .init(id: "D27", title: "a singleton became instances", drifts: [capability(.instances, "D27")]),
    .init(id: "D28", title: "telemetry is on"),
    .init(
        id: "D29",
        title: "nicknames are gone",
        drifts: [
            capability(.nicknames, "D29"),
            KnownDrift(id: "D29", call: "nicknames", path: "(call)", reason: "V2 keeps none: export them before"),
        ]
    ),
    .init(id: "D30", title: "live objects became values"),
    .init(id: "D31", title: "the catalogue is narrowed in another way"),
    .init(id: "D32", title: "progress is reported for each attempt"),
]

private let orderCalls = ["orders", "orders of another"]

private func capability(_ capability: Capability, _ id: String) -> KnownDrift {
    KnownDrift(
        id: id,
        call: "capabilities",
        path: capability.rawValue,
        reason: "declared: an app that needs it asks for it"
    )
}
#endif
