public import Cofferdam  // operations, sides and differences

/// The side of a build that links only one, because no process can hold both: see "Can both majors be in one binary?".
///
/// The release process decides which users get which build, by a phased release or a traffic weight. A build answers
/// every call from its side, and counts each unit for each operation under its own label. A ``NamedPlan/arms`` plan
/// compares the builds:
///
/// 1. `legacyOnly` measures the legacy side.
/// 2. `aa` compares two builds of the legacy side, because units that update are self-selected. The builds may differ
///    by at most ``GateSettings/relativeFactor``, in either direction, in failures, slow calls, callers that give up,
///    and answers.
/// 3. `arms` compares the builds of both sides with the tests of a canary. A difference up to that factor is no reason
///    to go back, because it may be a difference between the units.
/// 4. `candidateOnly` is the end: release the candidate to everyone.
///
/// A unit that changes its build during an epoch stays in the arm that counted it first, and its later calls are not
/// counted ("intention to treat": ICH E9, "Statistical principles for clinical trials", 1998, section 5.2.1). Excluding
/// the unit instead would remove data that a test has already used, for a reason that the candidate may have caused. So
/// begin `arms` only after the candidate's build has been released: a unit that has it at its first call in the epoch
/// counts for it.
///
/// A kill switch cannot move the users of such a build. It stops the counting, and the status says that the build must
/// be withdrawn from release.
///
/// ```swift
/// let arm = Arm(.candidate, build: "2.0.1")
/// let control = StageControl(arm: arm)
/// let recorder = EvidenceRecorder(key: arm.key)
/// let router = Router(arm: arm) { try await openV2() }
/// ```
public struct Arm: Sendable, Hashable {
    /// The side that the build links.
    public let side: Side
    /// The label of the build: a version, or `BuildIdentity`.
    public let build: String

    /// - Parameter build: the label of the build, different for each build that the gate must distinguish.
    public init(_ side: Side, build: String) { (self.side, self.build) = (side, build) }
}

/// The counts of one build in an epoch. They are integers that add up to the gate's counts.
package struct ArmCounts: Sendable, Hashable, Codable {
    /// The label of the build.
    package var build: String
    /// The side that the build links.
    package var side: Side
    /// The units that failed, of all units that this build counted first, including those whose window is still open.
    package var units: FailureCounts
    /// The units whose window has ended.
    package var settled: Int
    /// The units that failed in each operation, of those that called it; by operation.
    package var operations: [String: FailureCounts]
    /// The number of units that used this build but that another build had already counted; they count there. Nil if
    /// unknown, as in a fleet, whose instances do not know each other's units.
    package var crossed: Int?

    /// Creates a value from its parts.
    package init(
        build: String,
        side: Side,
        units: FailureCounts,
        settled: Int,
        operations: [String: FailureCounts] = [:],
        crossed: Int? = 0
    ) {
        (self.build, self.side, self.units, self.settled) = (build, side, units, settled)
        (self.operations, self.crossed) = (operations, crossed)
    }
}
