import CofferdamContracts
import Testing

/// Checks which adapter replaces which if no option says so.
struct UpgradePathTests {
    private func path(_ adapters: (name: String, sdk: String?)...) -> UpgradePath? {
        UpgradePath(
            among: adapters.map { AdapterDescription(name: $0.name, identity: AdapterIdentity(sdk: $0.sdk)) }
        )
    }

    @Test func `A build of V2 that adds V1's adapter upgrades from V1 to V2`() {
        let expected = UpgradePath(from: "v1", to: "v2")
        #expect(path(("v2", "Yams 6.2.2"), ("v1", "Yams 5.0.1")) == expected)
        #expect(path(("v1", "Yams 5.0.1"), ("v2", "Yams 6.2.2")) == expected)
        #expect(path(("v2", "Big Vendor 10"), ("v1", "Big Vendor 9.1")) == expected, "by numbers, not letters")
    }

    @Test(
        arguments: [
            (nil, nil), ("Yams 5.0", nil), ("Yams 5.0", "Yams"), ("Yams 6.0", "Other 5.0"),
            ("Yams 6.0-rc.1", "Yams 5.0"),
            ("Yams 5.0", "Yams 5.0"),
        ] as [(String?, String?)]
    )
    func `If the SDKs' versions cannot be compared, the order of the adapters decides`(
        first: String?,
        second: String?
    ) {
        #expect(path(("b", first), ("a", second)) == UpgradePath(from: "b", to: "a"))
    }

    @Test func `One live adapter has no upgrade path, however often it appears`() {
        #expect(path(("v1", "Yams 5.0.1"), ("v1", "Yams 5.0.1")) == nil)
        let fake = AdapterDescription(name: "fake", identity: AdapterIdentity(.fake, sdk: "Yams 6.2.2"))
        let live = AdapterDescription(name: "v1", identity: AdapterIdentity(sdk: "Yams 5.0.1"))
        #expect(UpgradePath(among: [fake, live]) == nil)
    }
}
