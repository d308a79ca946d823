/// What a rule requires and an adapter or its harness lacks.
///
/// Throw it from a rule's body to skip the case. Violations that ``Findings`` has until then still fail it.
public struct UnmetRequirements: Error, Sendable, Hashable {
    var capabilities: Set<CapabilityTag>
    var harnessCapabilities: Set<HarnessCapability>
    var inapplicability: String?

    /// Lists what is missing; throw it from a rule's body, and the case is skipped, unless it has failed already.
    ///
    /// - Parameters:
    ///   - capabilities: capabilities that the adapter does not declare, so that the rule does not apply.
    ///   - harnessCapabilities: capabilities that the harness lacks, so that the rule cannot be judged.
    ///   - inapplicability: why the rule does not apply to its operation on any adapter; nil if it does.
    public init(
        capabilities: Set<CapabilityTag> = [],
        harnessCapabilities: Set<HarnessCapability> = [],
        inapplicability: String? = nil
    ) {
        self.capabilities = capabilities
        self.harnessCapabilities = harnessCapabilities
        self.inapplicability = inapplicability
    }

    package var isEmpty: Bool { capabilities.isEmpty && harnessCapabilities.isEmpty && inapplicability == nil }

    /// Whether the rule applies, and only the harness prevents judging it.
    var leavesUnjudged: Bool { capabilities.isEmpty && inapplicability == nil && !harnessCapabilities.isEmpty }

    /// "v2 does not declare sessionRefresh"; "the harness of v2 lacks oddCallbacks".
    func reason(of adapter: String) -> String {
        let tags = capabilities.sorted().map(\.rawValue).joined(separator: ", ")
        let lacking = harnessCapabilities.sorted().map(\.rawValue).joined(separator: ", ")
        return [
            inapplicability,
            capabilities.isEmpty ? nil : "\(adapter) does not declare \(tags)",
            harnessCapabilities.isEmpty ? nil : "the harness of \(adapter) lacks \(lacking)",
        ].compactMap(\.self).joined(separator: "; ")
    }
}

extension UnmetRequirements: CustomStringConvertible {
    /// The reason as reports show it.
    public var description: String { reason(of: "the adapter") }
}

extension Rule {
    /// What an adapter and its harness lack to run the rule.
    package func unmet(by adapter: AdapterUnderTest<Subject>) -> UnmetRequirements {
        unmet(by: adapter.capabilities, adapter.harnessCapabilities)
    }

    func unmet(by capabilities: Set<CapabilityTag>, _ harnessCapabilities: Set<HarnessCapability>) -> UnmetRequirements
    {
        UnmetRequirements(
            capabilities: requires.subtracting(capabilities),
            harnessCapabilities: self.harnessCapabilities.subtracting(harnessCapabilities),
            inapplicability: inapplicability
        )
    }
}
