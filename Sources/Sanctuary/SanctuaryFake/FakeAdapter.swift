public import CofferdamContracts  // adapters under test, for runners and tests
public import SanctuaryContracts  // whose subjects it opens

extension AdapterUnderTest<SanctuarySubject> {
    /// The app's own fake, with a separate world for each case.
    public static var fake: Self {
        .sanctuary(
            name: "fake",
            capabilities: FakeSanctuary.capabilities,
            harnessCapabilities: [.oddCallbacks, .orderlyEnd, .countedDrops],
            identity: AdapterIdentity(.fake)
        ) {
            FakeSanctuary().subject
        }
    }
}
