public import CofferdamContracts  // the contract is made of its rules

/// The sanctuary's contract: what every adapter of the six ports promises, the fake included.
public enum SanctuaryContract {
    public static let rules: [Rule<SanctuarySubject>] = [
        Lists.rules, Gets.rules, Mutations.rules, StreamRules.all, AuthenticationRules.all, Binaries.rules,
        CancellationRules.all, Faults.operation.rules, Lifecycles.rules,
    ].flatMap { $0 }

    /// At least one for each rule; see ``Mutant``.
    public static let mutants: [Mutant<SanctuarySubject>] = [
        Lists.mutants, Gets.mutants, Mutations.mutants, StreamMutants.all, AuthenticationMutants.all,
        Binaries.mutants, CancellationMutants.all, Faults.operation.mutants, Lifecycles.mutants,
    ].flatMap { $0 }
}
