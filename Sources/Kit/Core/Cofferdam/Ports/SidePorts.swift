public import Synchronization  // inlinable code reads an atomic

/// The ports of one capability on the sides that are open.
@usableFromInline
package final class SidePorts<Port: Sendable>: OpenSides {
    @usableFromInline let legacy = OpenedPort<Port>()
    @usableFromInline let candidate = OpenedPort<Port>()
    private let shadowCandidate = OpenedPort<Port>()
    package let instances = OpenInstances()
    private let open: @Sendable (Instance) async throws -> Port
    private let openedElsewhere: @Sendable (Instance) -> Port?

    /// - Parameter openedElsewhere: returns the port of an instance that another route has opened; nil if none has.
    package init(
        open: @escaping @Sendable (Instance) async throws -> Port,
        openedElsewhere: @escaping @Sendable (Instance) -> Port? = { _ in nil }
    ) {
        (self.open, self.openedElsewhere) = (open, openedElsewhere)
        for instance in Instance.allCases {
            if let port = openedElsewhere(instance) { _ = keep(port, instance) }
        }
    }

    private func keep(_ port: Port, _ instance: Instance) -> Port {
        defer { instances.insert(instance) }
        return self[instance].keep(port)
    }

    private subscript(_ instance: Instance) -> OpenedPort<Port> {
        switch instance {
        case .legacy: legacy
        case .candidate: candidate
        case .shadowCandidate: shadowCandidate
        }
    }

    package func open(_ instance: Instance) async throws { _ = try await port(instance) }

    /// Returns the port of the side that answers, if it is open. In its box, because a call would copy the port.
    @inlinable
    @inline(__always)
    func opened(_ side: Side) -> OpenedPort<Port>.Box? { (side == .legacy ? legacy : candidate).opened }

    /// Returns the port of the side that answers, if any route has opened it.
    package func openedNow(_ side: Side) -> Port? {
        let instance = Instance(answering: side)
        return self[instance].port ?? openedElsewhere(instance)
    }

    /// Returns the port of an instance, and opens it if necessary.
    ///
    /// - Throws: errors of the opener, or `CancellationError`.
    @usableFromInline
    package func port(_ instance: Instance) async throws -> Port {
        if let port = self[instance].port { return port }
        return keep(try await open(instance), instance)
    }
}

/// A ``SidePorts`` of any port.
package protocol OpenSides: AnyObject, Sendable {
    var instances: OpenInstances { get }
    /// Opens an instance if necessary.
    ///
    /// - Throws: errors of the opener, or `CancellationError`.
    func open(_ instance: Instance) async throws
}

/// The instances that are open, for code that does not know the ports' type.
@usableFromInline
package final class OpenInstances: Sendable {
    @usableFromInline let mask = Atomic<UInt8>(0)

    @inlinable
    package func contains(_ instance: Instance) -> Bool {
        mask.load(ordering: .acquiring) & 1 << instance.rawValue != 0
    }

    fileprivate func insert(_ instance: Instance) { mask.bitwiseOr(1 << instance.rawValue, ordering: .releasing) }
}

/// A port that is opened once, read without a lock by every call.
@usableFromInline
final class OpenedPort<Port: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let port: Port
        init(_ port: Port) { self.port = port }
    }

    /// Set once, and retained until `deinit`. An `AtomicLazyReference` would not be inlined, and would look up its type
    /// at each read.
    @usableFromInline let box = Atomic<Unmanaged<Box>?>(nil)

    deinit { box.load(ordering: .acquiring)?.release() }

    @inlinable
    @inline(__always)
    var opened: Box? { box.load(ordering: .acquiring)?.takeUnretainedValue() }

    var port: Port? { opened?.port }

    /// - Returns: the one that is kept, if another one came first.
    func keep(_ port: Port) -> Port {
        let mine = Unmanaged.passRetained(Box(port))
        let exchange = box.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
        guard !exchange.exchanged, let first = exchange.original else { return port }
        mine.release()
        return first._withUnsafeGuaranteedRef { $0.port }
    }
}

/// An instance of an SDK.
@usableFromInline
package enum Instance: UInt8, Sendable, Hashable, CaseIterable {
    case legacy, candidate
    /// The candidate on a copy of the state of the legacy side, so that nothing it does there has consequences.
    case shadowCandidate

    /// The instance that answers callers.
    @inlinable
    package init(answering side: Side) { self = side == .legacy ? .legacy : .candidate }

    /// The instance that is asked for comparison.
    package init(shadowing side: Side) { self = side == .legacy ? .legacy : .shadowCandidate }
}
