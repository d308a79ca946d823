public import CofferdamContracts  // the contract is made of its rules

/// The sanctuary's contract, which every adapter of the six ports fulfils, including the fake.
public enum SanctuaryContract {
    public static let rules: [Rule<SanctuarySubject>] = [
        Lists.rules, Gets.rules, Mutations.rules, Streams.rules, Sessions.operation.rules, Binaries.rules,
        Cancellations.operation.rules, Deadlines.operation.rules, Faults.operation.rules, Values.rules,
        Lifecycles.rules, Waiting.rules,
    ].flatMap { $0 }

    /// The mutants, at least one for each rule; see ``Mutant``.
    public static let mutants: [Mutant<SanctuarySubject>] = [
        Lists.mutants, Gets.mutants, Mutations.mutants, Streams.mutants, Sessions.mutants, Binaries.mutants,
        Cancellations.operation.mutants, Deadlines.operation.mutants, Faults.operation.mutants, Values.mutants,
        Lifecycles.mutants, Waiting.mutants,
    ].flatMap { $0 }
}
