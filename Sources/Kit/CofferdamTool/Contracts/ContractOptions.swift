import CofferdamContracts

/// How a contract is to be run, beside which part of it.
struct ContractOptions: Sendable {
    /// Hashes the contract's text and the fixtures'.
    var digest: @Sendable (String) -> String
    /// Where the run is made, and when; its fixtures' digest is filled in.
    var stamp: RunStamp
    var isolation: CaseIsolation?
    var triesUndeclared = false
    /// Whether the fixtures' digest is wanted.
    var readsFixtures = true
    /// What earlier runs have certified.
    var certifications: [Certification] = []

    #if CommandLine
        /// This machine, today.
        static func here(isolation: CaseIsolation? = nil) -> ContractOptions {
            ContractOptions(digest: Digest.sha256(of:), stamp: .here, isolation: isolation)
        }
    #endif
}
