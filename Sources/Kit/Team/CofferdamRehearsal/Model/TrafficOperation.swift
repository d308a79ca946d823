/// Something that users do through the routed ports: a call, or paging through a list.
public struct TrafficOperation<Services: Sendable>: Sendable {
    package var name: String
    package var kind: TrafficKind
    /// How often it occurs, relative to other operations of its kind.
    package var weight: Int
    /// Performs the operation once. It throws ``WrongValue`` for a wrong answer, and the port's own error if there is
    /// no answer. A write leaves the step's ``VisitStep/key`` where ``RehearsedUpgrade/written`` finds it.
    package var perform: @Sendable (Services, VisitStep) async throws -> Void

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - weight: how often it occurs, relative to other operations of its kind.
    ///   - perform: performs the operation once. It throws ``WrongValue`` for a wrong answer, and passes the port's
    ///     errors on. A write leaves the step's ``VisitStep/key`` where the upgrade's `written` finds it.
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

/// The kind of an operation, for the mix.
public enum TrafficKind: String, Sendable, Hashable, CaseIterable, Codable {
    case read, walk, write
}

/// A user received wrong data.
public struct WrongValue: Error, Sendable, CustomStringConvertible {
    /// What was received, and what was expected.
    public let description: String
    /// Creates an error that says what is wrong with the value.
    public init(_ description: String) { self.description = description }
}
