/// A setting of the app, besides the stage, for how many units have their calls compared. Changing it keeps the gate's
/// counters, because the sample depends only on the names of the units.
public struct Sampling: Sendable, Hashable {
    /// In the canary, the share to compare of the units that stay on the legacy side.
    var canaryRest: Share
    /// How often every sample was halved: see `SampleGuard`.
    package var halvings: Int

    /// Creates a value from its parts.
    public init(canaryRest: Share = .all, halvings: Int = 0) {
        self.canaryRest = canaryRest
        self.halvings = halvings
    }

    /// Returns the share of the units whose calls are compared at a stage; in the canary, the share of the units that
    /// stay on the legacy side. Nil if the stage compares none.
    package func sample(at stage: Stage) -> Share? {
        let whole: Share? =
            switch stage {
            case .shadow(let sample), .candidateShadowed(let sample): sample
            case .canary: canaryRest
            case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: nil
            }
        return whole.flatMap { Share(tenThousandths: $0.tenThousandths >> max(0, halvings)) }
    }
}

/// Whether a unit's calls are compared, and out of how many units.
package struct UnitSample: Sendable, Hashable {
    /// The share of the units whose calls are compared.
    package var share: Share
    /// Whether this unit is one of them.
    package var isIn: Bool

    package init(share: Share, isIn: Bool) { (self.share, self.isIn) = (share, isIn) }
}
