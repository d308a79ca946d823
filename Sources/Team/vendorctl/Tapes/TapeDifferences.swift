#if Sandbox
import CofferdamContracts
import CofferdamTool

/// The vendor's differences that show when V1's calls are made on V2, numbered as in MIGRATION.md.
let tapeDifferences: [DriftKnowledge] = [
    .init(id: "D2", title: "0 also meant not recorded", drifts: ambiguousCounts),
    .init(
        id: "D19",
        title: "paid meant authorized",
        drifts: [
            KnownDrift(
                id: "D19",
                call: "orders.orders",
                path: "result.items[*].status.known",
                reason: "V1 says paid for three states, of which authorized is the least",
                legacy: [#""authorized""#],
                candidate: [#""captured""#, #""partiallyRefunded""#]
            )
        ]
    ),
    .init(
        id: "D20",
        title: "errors became typed",
        drifts: ["catalogue.animal", "orders.order"].flatMap { call in
            // The code is compared; the rest is for humans.
            ["message", "cause.domain", "cause.code", "cause.message"].map { field in
                KnownDrift(
                    id: "D20",
                    call: call,
                    path: "error.record.\(field)",
                    reason: "the SDKs word the same error differently"
                )
            }
        }
    ),
]

/// A count's record has a different field for each kind of count.
private let ambiguousCounts = [("catalogue.animals", "result.items[*]"), ("catalogue.animal", "result")]
    .flatMap { call, place in
        ["legs", "heads"].flatMap { field in
            [("ambiguousZero", ["{}"], nil), ("unknown", nil, ["{}"]), ("known", nil, [#"{"count":0}"#])]
                .map { (kind: String, legacy: [String]?, candidate: [String]?) in
                    KnownDrift(
                        id: "D2",
                        call: call,
                        path: "\(place).\(field).\(kind)",
                        reason: "V1 says 0 for none and for not recorded",
                        legacy: legacy,
                        candidate: candidate
                    )
                }
        }
    }
#endif
