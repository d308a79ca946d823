/// One operation of a port, wherever the port is in a subject: how to perform the operation and how to replace it.
///
/// Rule families drive a subject through such calls; their mutants are subjects in which a call was replaced.
///
/// ```swift
/// let animal = PortCall<Ports, Animal.ID, Animal>(
///     "animal",
///     get: { $0.catalogue.animal },
///     replace: { ports, perform in
///         var ports = ports
///         ports.catalogue = DecoratedCatalogue(ports.catalogue, animal: perform)
///         return ports
///     }
/// )
/// ```
public struct PortCall<Subject: Sendable, Input: Sendable, Output: Sendable>: Sendable {
    /// Performs the operation.
    public typealias Perform = @Sendable (Input) async throws -> Output

    /// The operation's name in findings: "animals".
    public let name: String
    /// The operation as this subject performs it.
    let perform: @Sendable (_ of: Subject) -> Perform
    private let replace: @Sendable (Subject, @escaping Perform) -> Subject

    /// Describes an operation by how to perform it and how to replace it.
    public init(
        _ name: String,
        get: @escaping @Sendable (_ of: Subject) -> Perform,
        replace: @escaping @Sendable (Subject, @escaping Perform) -> Subject
    ) {
        self.name = name
        self.perform = get
        self.replace = replace
    }

    /// Calls the operation of `subject`.
    public func callAsFunction(_ subject: Subject, _ input: Input) async throws -> Output {
        try await perform(subject)(input)
    }

    /// Returns the subject with this operation replaced by another, which receives the clean one.
    public func replaced(
        in subject: Subject,
        by operation: @escaping @Sendable (_ clean: @escaping Perform, _ input: Input) async throws -> Output
    ) -> Subject {
        let clean = perform(subject)
        return replace(subject) { try await operation(clean, $0) }
    }
}

extension PortCall where Input == Void {
    /// Describes an operation that takes no input.
    ///
    /// ```swift
    /// let accessories = PortCall<Ports, Void, [Accessory]>(
    ///     "accessories",
    ///     get: { ports in { try await ports.accessories.accessories() } },
    ///     replace: { ports, perform in
    ///         var ports = ports
    ///         ports.accessories = DecoratedAccessories(ports.accessories, accessories: perform)
    ///         return ports
    ///     }
    /// )
    /// ```
    public init(
        _ name: String,
        get: @escaping @Sendable (_ of: Subject) -> @Sendable () async throws -> Output,
        replace: @escaping @Sendable (Subject, @escaping @Sendable () async throws -> Output) -> Subject
    ) {
        self.init(
            name,
            get: { subject -> Perform in
                let perform = get(subject)
                return { _ in try await perform() }
            },
            replace: { subject, perform in replace(subject) { try await perform(()) } }
        )
    }

    /// Calls the operation of `subject`.
    package func callAsFunction(_ subject: Subject) async throws -> Output { try await self(subject, ()) }

    /// Returns the subject with this operation replaced by another, which receives the clean one.
    package func replaced(
        in subject: Subject,
        by operation:
            @escaping @Sendable (_ clean: @escaping @Sendable () async throws -> Output) async throws -> Output
    ) -> Subject {
        replaced(in: subject) { clean, _ in try await operation { try await clean(()) } }
    }
}
