public import Cofferdam  // operations, sides and differences

/// The only side of a build, where no process can hold both: see "Can both majors be in one binary?".
///
/// The delivery decides who has which build: a phased release, or a weight. The build answers every call from its side, and counts
/// each unit for each operation under its own label. A ``NamedPlan/arms`` plan compares the builds:
///
/// 1. `legacyOnly` measures the legacy side.
/// 2. `aa` compares two builds of the legacy side, because units that update choose themselves. They may not differ by more than
///    ``GateSettings/relativeFactor``, in either direction: in failures, slow calls, giving up and answers.
/// 3. `arms` compares the builds of both sides, by the tests of a canary. A difference up to that factor is no reason to go back, because
///    it may be one of the units.
/// 4. `candidateOnly` is the end: deliver the candidate to everyone.
///
/// A unit that changes its build during an epoch stays in the arm that counted it first, and its later calls count nowhere ("intention to
/// treat": ICH E9, "Statistical principles for clinical trials", 1998, section 5.2.1). To exclude it instead would take back
/// what a test has seen already, for a reason that the candidate may have caused. So begin `arms` after the candidate's build was delivered:
/// who had it before the epoch's first call counts for it.
///
/// A kill switch cannot move a user of such a build. It stops the counting, and the status says that the delivery must withdraw the build.
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
    /// The label of the build: a version, or ``BuildIdentity``.
    public let build: String

    /// - Parameter build: different for each build that the gate shall tell apart.
    public init(_ side: Side, build: String) { (self.side, self.build) = (side, build) }
}

/// What one build counted in an epoch: whole numbers, from which the gate's can be added up.
public struct ArmCounts: Sendable, Hashable, Codable {
    /// The label of the build.
    public var build: String
    /// The side that it links.
    public var side: Side
    /// The units that failed, of all that it counted first; those with an open window too.
    public var units: FailureCounts
    /// The units whose window has ended.
    public var settled: Int
    /// The same for each operation, among its callers.
    public var operations: [String: FailureCounts]
    /// The units that another build had counted before, which count there; nil where that is not known: in a fleet, whose instances do
    /// not know each other's units.
    public var crossed: Int?

    /// Creates a value from its parts.
    public init(
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

extension StageError {
    static func otherSide(of arm: Arm) -> StageError {
        StageError(
            .unsupportedStage,
            "the build \(arm.build) has the \(arm.side.rawValue) side only; give its sessions a StageControl with its arm",
            subject: "arm"
        )
    }
}
