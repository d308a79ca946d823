import Cofferdam

/// The way of one unit's calls of one capability: to the side that the stage says, once for each call, retries included.
///
/// A port is routed by a conformance with a line for each method; a method that is missing does not compile:
///
/// ```swift
/// struct RoutedCatalogue: Catalogue {
///     let route: Route<any Catalogue>
///
///     func animal(_ id: AnimalID) async throws -> Animal {
///         try await route.read("animal", id) { try await $0.animal($1) }
///     }
///     func rename(_ rename: Rename) async throws -> Animal {
///         try await route.write("rename", rename) { try await $0.rename($1) }
///     }
/// }
/// ```
///
/// The closure captures nothing: what it needs is in the call's input. The caller gets what the side that answers gave it, value
/// or error, and a ``CancellationError`` when it is cancelled; nothing that happens in the shadow reaches it.
public struct Route<Port: Sendable>: Sendable {
    public typealias Body<Input, Output> = @Sendable (Port, Input) async throws -> Output

    @usableFromInline let core: RouteCore<Port>

    init(core: RouteCore<Port>) { self.core = core }

    /// A call that changes nothing: see ``Effect/read``. Sampled, both sides' values are compared.
    @inlinable
    public func read<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        comparing comparator: @escaping @Sendable @autoclosure () -> Comparator<Output>,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        guard let direct = core.beginDirectly(.read, operation) else {
            return try await core.call(operation, input, .read, comparing: comparator, body).output
        }
        defer { core.ended(direct) }
        guard let decision = direct.comparedBy else {
            do { return try await body(direct.port, input) } catch {
                core.directlyFailed(operation, .read, on: direct.side, by: error)
                throw error
            }
        }
        let start = core.now()
        do {
            let output = try await body(direct.port, input)
            core.compare(operation, input, .success(output), since: start, by: decision, comparing: comparator, body)
            return output
        } catch {
            core.directlyFailed(operation, .read, on: direct.side, by: error)
            core.compare(operation, input, .failure(error), since: start, by: decision, comparing: comparator, body)
            throw error
        }
    }

    /// The same, compared by `==`.
    @inlinable
    public func read<Input: Sendable, Output: Sendable & Equatable & SendableMetatype>(
        _ operation: String,
        _ input: Input,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        try await read(operation, input, comparing: Comparator().field("value", { $0 }), body)
    }

    /// A page of a walk: a ``Effect/read`` whose cursor belongs to one side. Only first pages are compared.
    ///
    /// - Throws: beside the port's errors, `carrying.invalid` for a cursor of a side that the stage no longer opens.
    public func walk<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        carrying: CarriedSide<Input, Output>,
        comparing comparator: Comparator<Output>,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        var request = input
        let carried = carrying.take(from: &request)
        if let carried {
            let decision = core.decision(for: operation)
            // A unit that has not crossed over yet still has its side, whatever the stage says for others.
            guard decision.side == carried || decision.route.opens(carried) else {
                throw carrying.invalid(input[keyPath: carrying.cursor] ?? "")
            }
        }
        var (page, side) = try await core.call(
            operation,
            request,
            .read,
            carried: carried,
            comparing: { comparator },
            body
        )
        carrying.give(side, to: &page)
        return page
    }

    /// A call that changes something once, however often it is made: see ``Effect/idempotent``.
    @inlinable
    public func idempotent<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        try await change(operation, input, .idempotent, body)
    }

    /// A call that changes something each time: see ``Effect/write``.
    @inlinable
    public func write<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        try await change(operation, input, .write, body)
    }

    /// A call that belongs to a session or a device: see ``Effect/exclusive``.
    @inlinable
    public func exclusive<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        try await change(operation, input, .exclusive, body)
    }

    @inlinable
    func change<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ effect: Effect,
        _ body: @escaping Body<Input, Output>
    ) async throws -> Output {
        if let direct = core.beginDirectly(effect, operation) {
            defer { core.ended(direct) }
            do { return try await body(direct.port, input) } catch {
                core.directlyFailed(operation, effect, on: direct.side, by: error)
                throw error
            }
        }
        return try await core.call(operation, input, effect, comparing: nil, body).output
    }
}
