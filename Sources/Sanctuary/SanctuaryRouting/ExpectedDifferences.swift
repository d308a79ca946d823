public import CofferdamUpgrade  // expectations are the kit's values
import SanctuaryDomain

public import CofferdamUpgrade  // expectations are the kit's values
import SanctuaryDomain

/// The known differences between V1 and V2 behind the ports, numbered as in MIGRATION.md, with their agreed rates.
///
/// All agreements end a year after the upgrade began.
public let expectedDifferences: [RoutedCapability: [AgreedDifference]] = [
    .catalogue: agreed(expectedCatalogueDifferences, rate: 1),
    .orders: agreed(expectedOrderDifferences, rate: 0.5) + [
        AgreedDifference(ordersOfOtherCurrencies, rate: 0.1, expires: endOfAgreements)
    ],
]

/// The known differences between an animal from V1 and the same animal from V2.
public let expectedCatalogueDifferences: [ExpectedDifference] = ["legs", "heads"].map { field in
    ExpectedDifference(
        id: "D2",
        path: field,
        reason: "V1 says 0 for none and for not recorded",
        changes: [.init(from: "\(Count.ambiguousZero)", to: ["\(Count.unknown)", "\(Count.known(0))"])]
    )
}

private let expectedOrderDifferences = [
    ExpectedDifference(
        id: "D19",
        path: "status",
        reason: "V1 says paid for three states, of which authorized is the least",
        changes: [
            .init(
                from: "\(OrderStatus.authorized)",
                to: ["\(OrderStatus.captured)", "\(OrderStatus.partiallyRefunded)"]
            )
        ]
    )
]

private let ordersOfOtherCurrencies = ExpectedDifference(
    id: "D17",
    path: "leftOut",
    reason: "V1 leaves out orders of another currency than the account's",
    changes: [.init(from: "none", to: ["some"])]
)

/// Returns each difference twice, for a single value and for the values of a page, with separate ids.
private func agreed(_ differences: [ExpectedDifference], rate: Double) -> [AgreedDifference] {
    differences.flatMap { difference in
        [difference.path, "items[*].\(difference.path)"].map { path in
            var agreed = AgreedDifference(difference, rate: rate, expires: endOfAgreements)
            agreed.difference.path = path
            agreed.difference.id += " \(path)"
            return agreed
        }
    }
}

/// 2027-06-30T00:00:00Z, in seconds since 1970.
private let endOfAgreements: Int64 = 1_814_313_600
