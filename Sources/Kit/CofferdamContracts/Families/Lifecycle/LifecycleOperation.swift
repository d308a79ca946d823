/// The beginning and the end of an adapter, and many calls at once: what the rules LIFE-01 to LIFE-03 need to know.
public struct LifecycleOperation<Subject: Sendable, ID: Sendable & Hashable, Item: Sendable & Hashable>: RuleFamily {
    /// Fetches one of many.
    public let call: PortCall<Subject, ID, Item>
    /// Empties the vendor and adds so many; returns them as a perfect adapter shows them.
    public let seed: @Sendable (Subject, _ count: Int) async throws -> [(id: ID, item: Item)]
    /// How instances are opened and closed.
    public let opening: Opening<Subject>
    /// Whether the error says, as the port has it, that the vendor cannot be reached.
    public let isUnreachable: @Sendable (any Error) -> Bool
    /// From now on the vendor takes calls of that kind and answers none.
    public let hold: @Sendable (Subject) async throws -> Void
    /// Returns once so many calls of that kind have reached the vendor since it was emptied.
    public let waitForCalls: @Sendable (Subject, _ count: Int) async throws -> Void
    /// Opens an instance beside the one at hand, over the same vendor; nil where there is only ever one.
    public let another: PortCall<Subject, Void, Subject>?
    /// What an adapter declares of which several instances can be open at once.
    public let instances: CapabilityTag
    /// Changes something on the first of two instances and closes the second; returns what they turn out to share, or nil.
    public let sharedState: @Sendable (Subject, _ other: Subject) async throws -> String?

    public init(
        call: PortCall<Subject, ID, Item>,
        opening: Opening<Subject>,
        another: PortCall<Subject, Void, Subject>? = nil,
        instances: CapabilityTag = "instances",
        isUnreachable: @escaping @Sendable (any Error) -> Bool,
        seed: @escaping @Sendable (Subject, _ count: Int) async throws -> [(id: ID, item: Item)],
        hold: @escaping @Sendable (Subject) async throws -> Void,
        waitForCalls: @escaping @Sendable (Subject, _ count: Int) async throws -> Void,
        sharedState: @escaping @Sendable (Subject, _ other: Subject) async throws -> String?
    ) {
        self.call = call
        self.opening = opening
        self.another = another
        self.instances = instances
        self.isUnreachable = isUnreachable
        self.seed = seed
        self.hold = hold
        self.waitForCalls = waitForCalls
        self.sharedState = sharedState
    }
}
