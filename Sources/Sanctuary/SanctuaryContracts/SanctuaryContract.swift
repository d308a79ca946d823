public import CofferdamContracts  // the contract is made of its rules

/// The sanctuary's contract: what every adapter of the six ports promises, the fake included.
public enum SanctuaryContract {
    public static let rules: [Rule<SanctuarySubject>] = [
        Lists.animals.rules, GetRules.all, MutationRules.all, Streams.rules, Sessions.operation.rules,
        BinaryRules.all,
        Cancellations.operation.rules, Deadlines.operation.rules, ErrorRules.all, LifecycleRules.all,
    ].flatMap { $0 }

    /// At least one for each rule; see ``Mutant``.
    public static let mutants: [Mutant<SanctuarySubject>] = [
        Lists.animals.mutants, GetMutants.all, MutationMutants.all, Streams.mutants, Sessions.mutants,
        BinaryMutants.all, Cancellations.operation.mutants, Deadlines.operation.mutants, ErrorMutants.all,
        LifecycleMutants.all,
    ].flatMap { $0 }
}
