/// How an adapter begins and ends and serves many calls at once, described for the rules LIFE-01 to LIFE-03.
///
/// LIFE-01 and LIFE-03 check each call that they apply to. LIFE-02 closes the adapter while a call of each operation is
/// in progress. CANC-08 of ``CancellationOperation`` checks that closing ends a single call, and how each call fails
/// afterwards.
public struct LifecycleOperation<Subject: Sendable>: RuleFamily {
    let calls: [ProbedCall<Subject>]
    let needingSession: Set<String>
    let questions: [String: @Sendable (Subject) async throws -> [AnyPortCall<Subject>]]
    let opening: Opening<Subject>
    let isUnreachable: @Sendable (any Error) -> Bool
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    let instances: Instances?

    /// Describes how instances of an adapter open, close and live side by side.
    ///
    /// - Parameters:
    ///   - calls: every call that the vendor can keep waiting.
    ///   - needingSession: the names of the calls that need a signed-in user; they are skipped where there is no
    ///     vendor.
    ///   - questions: further variants of a call, by its name, each with another answer, asked after `prepare`.
    ///   - opening: how instances are opened and closed.
    ///   - instances: several instances at a time; nil if there is only ever one.
    ///   - isUnreachable: whether the port's error says that the vendor cannot be reached.
    ///   - prepare: prepares the vendor so that every call succeeds.
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
        let capability: CapabilityTag
        let another: PortCall<Subject, Void, Subject>
        let sharedState: @Sendable (Subject, _ other: Subject) async throws -> String?

        /// Describes instances that are open at the same time.
        ///
        /// - Parameters:
        ///   - capability: the capability of adapters that can have several instances.
        ///   - another: opens another instance on the same vendor.
        ///   - sharedState: changes something on the first of two instances and closes the second; returns the state
        ///     that they turn out to share, or nil.
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
