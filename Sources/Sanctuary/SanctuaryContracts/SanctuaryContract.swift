public import CofferdamContracts  // the contract is made of its rules

/// The sanctuary's contract: what every adapter of the six ports promises, the fake included.
public enum SanctuaryContract {
    public static let rules: [Rule<SanctuarySubject>] =
        ListRules.all + GetRules.all + MutationRules.all + StreamRules.all + AuthenticationRules.all
        + BinaryRules.all + CancellationRules.all + ErrorRules.all + LifecycleRules.all

    /// At least one for each rule; see ``Mutant``.
    public static let mutants: [Mutant<SanctuarySubject>] =
        ListMutants.all + GetMutants.all + MutationMutants.all + StreamMutants.all + AuthenticationMutants.all
        + BinaryMutants.all + CancellationMutants.all + ErrorMutants.all + LifecycleMutants.all
}
