public import struct Synchronization.AtomicLazyReference  // read where calls are inlined

/// One capability's port wherever a router has it open.
@usableFromInline
final class SidePorts<Port: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let port: Port
        init(_ port: Port) { self.port = port }
    }

    @usableFromInline let legacy = AtomicLazyReference<Box>()
    @usableFromInline let candidate = AtomicLazyReference<Box>()
    private let rehearsing = AtomicLazyReference<Box>()
    private let open: @Sendable (Instance) async throws -> Port
    private let openBySomebody: @Sendable (Instance) -> Port?

    /// - Parameter openBySomebody: the port of an instance that another has opened already.
    init(
        open: @escaping @Sendable (Instance) async throws -> Port,
        openBySomebody: @escaping @Sendable (Instance) -> Port? = { _ in nil }
    ) {
        (self.open, self.openBySomebody) = (open, openBySomebody)
    }

    /// The port of the side that answers, if it is open already, whoever needed it.
    func openedNow(_ side: Side) -> Port? { opened(side) ?? openBySomebody(Instance(answering: side)) }

    /// The port of the side that answers, if it is open.
    @inlinable
    func opened(_ side: Side) -> Port? {
        switch side {
        case .legacy: legacy.load()?.port
        case .candidate: candidate.load()?.port
        }
    }

    /// The port, if that instance is open.
    func opened(_ instance: Instance) -> Port? {
        switch instance {
        case .legacy: legacy.load()?.port
        case .candidate: candidate.load()?.port
        case .rehearsing: rehearsing.load()?.port
        }
    }

    /// - Throws: what the opener throws, or `CancellationError`.
    func port(_ instance: Instance) async throws -> Port {
        if let port = opened(instance) { return port }
        let box = Box(try await open(instance))
        return switch instance {
        case .legacy: legacy.storeIfNil(box).port
        case .candidate: candidate.storeIfNil(box).port
        case .rehearsing: rehearsing.storeIfNil(box).port
        }
    }
}

/// An SDK that is open, or may be.
enum Instance: Sendable, Hashable, CaseIterable {
    case legacy, candidate
    /// The candidate on a copy of the legacy side's state: what it does there, nobody has to live with.
    case rehearsing

    /// Who answers a caller.
    init(answering side: Side) { self = side == .legacy ? .legacy : .candidate }

    /// Who is asked to be compared.
    init(shadowing side: Side) { self = side == .legacy ? .legacy : .rehearsing }
}
