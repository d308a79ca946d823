/// Something that units do, through the routed ports: a call, or a walk over pages.
public struct TrafficOperation<Services: Sendable>: Sendable {
    public var name: String
    public var kind: TrafficKind
    /// How often, beside the others of its kind.
    public var weight: Int
    /// Does it once. It throws ``WrongValue`` where the answer is not what is true, and the port's own error where there is
    /// none. A write leaves the step's ``VisitStep/key`` where ``RehearsedUpgrade/written`` finds it.
    public var perform: @Sendable (Services, VisitStep) async throws -> Void

    public init(
        _ name: String,
        _ kind: TrafficKind,
        weight: Int = 1,
        perform: @escaping @Sendable (Services, VisitStep) async throws -> Void
    ) {
        self.name = name
        self.kind = kind
        self.weight = max(0, weight)
        self.perform = perform
    }
}

/// What an operation is, for the mix.
public enum TrafficKind: String, Sendable, Hashable, CaseIterable, Codable {
    case read, walk, write
}

/// A user was told what is not true.
public struct WrongValue: Error, Sendable, CustomStringConvertible {
    /// What was said, and what is true.
    public let description: String
    public init(_ description: String) { self.description = description }
}
