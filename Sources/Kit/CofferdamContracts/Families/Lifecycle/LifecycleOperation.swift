/// The beginning and the end of an adapter, and many calls at once: what the rules LIFE-01 to LIFE-03 need to know.
///
/// LIFE-01 and LIFE-03 are held against each call that they apply to. LIFE-02 closes while a call of each operation goes on. That
/// closing ends a call that goes on alone, and what is said of each call afterwards, is CANC-08 of ``CancellationOperation``.
public struct LifecycleOperation<Subject: Sendable>: RuleFamily {
    /// Every call that the vendor can keep waiting.
    let calls: [ProbedCall<Subject>]
    /// The names of those that need a signed-in user: where no vendor is, there is none.
    let needingSession: Set<String>
    /// Of a call, by its name, more questions than ``ProbedCall/call`` and ``ProbedCall/another``, on the stage that ``prepare``
    /// has set; no two with the same answer.
    let questions: [String: @Sendable (Subject) async throws -> [AnyPortCall<Subject>]]
    /// How instances are opened and closed.
    let opening: Opening<Subject>
    /// Whether the error says, as the port has it, that the vendor cannot be reached.
    let isUnreachable: @Sendable (any Error) -> Bool
    /// Sets the stage, on which every call succeeds.
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    /// Nil where there is only ever one instance.
    let instances: Instances?

    public init(
        calls: [ProbedCall<Subject>],
        needingSession: Set<String> = [],
        questions: [String: @Sendable (Subject) async throws -> [AnyPortCall<Subject>]] = [:],
        opening: Opening<Subject>,
        instances: Instances? = nil,
        isUnreachable: @escaping @Sendable (any Error) -> Bool,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        held: HeldCalls<Subject>
    ) {
        self.calls = calls
        self.needingSession = needingSession
        self.questions = questions
        self.opening = opening
        self.instances = instances
        self.isUnreachable = isUnreachable
        self.prepare = prepare
        self.held = held
    }

    /// Several instances that are open at once.
    public struct Instances: Sendable {
        /// What an adapter declares that can have them.
        let capability: CapabilityTag
        /// Opens an instance beside the one at hand, over the same vendor.
        let another: PortCall<Subject, Void, Subject>
        /// Changes something on the first of two instances and closes the second; returns what they turn out to share, or nil.
        let sharedState: @Sendable (Subject, _ other: Subject) async throws -> String?

        public init(
            capability: CapabilityTag = "instances",
            another: PortCall<Subject, Void, Subject>,
            sharedState: @escaping @Sendable (Subject, _ other: Subject) async throws -> String?
        ) {
            self.capability = capability
            self.another = another
            self.sharedState = sharedState
        }
    }
}
