public import CofferdamContracts  // the contract is made of its rules

/// The sanctuary's contract: what every adapter of the six ports promises, the fake included.
public enum SanctuaryContract {
    public static let rules: [Rule<SanctuarySubject>] = [
        Lists.animals.rules, GetRules.all, MutationRules.all, StreamRules.all, AuthenticationRules.all, BinaryRules.all,
        CancellationRules.all, Faults.operation.rules, Lifecycles.rules,
    ].flatMap { $0 }

    /// At least one for each rule; see ``Mutant``.
    public static let mutants: [Mutant<SanctuarySubject>] = [
        Lists.animals.mutants, GetMutants.all, MutationMutants.all, StreamMutants.all, AuthenticationMutants.all,
        BinaryMutants.all, CancellationMutants.all, Faults.operation.mutants, Lifecycles.mutants,
    ].flatMap { $0 }
}
