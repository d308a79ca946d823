import CofferdamTool

extension ClientDifferences {
    /// What MIGRATION.md tells. Anything else, also another value, is a finding.
    static let known: [DriftKnowledge] = []
}
