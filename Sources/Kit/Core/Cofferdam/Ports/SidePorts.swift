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

    /// Returns where the port of the side that answers is, if it is open, for as long as this exists. A call would retain
    /// the port or its owner.
    @inlinable
    @inline(__always)
    func opened(_ side: Side) -> UnsafePointer<Port>? { side == .legacy ? legacy.opened : candidate.opened }

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
// Proof of `@unchecked Sendable`: what the pointer points to is written before the pointer is set, which is once, by a
// release that each reader acquires, and never changes until `deinit`.
final class OpenedPort<Port: Sendable>: @unchecked Sendable {
    /// An `AtomicLazyReference` would not be inlined, and would look up its type at each read.
    @usableFromInline let pointer = Atomic<UnsafePointer<Port>?>(nil)

    deinit { pointer.load(ordering: .acquiring).map(Self.destroy) }

    @inlinable
    @inline(__always)
    var opened: UnsafePointer<Port>? { pointer.load(ordering: .acquiring) }

    var port: Port? { opened?.pointee }

    /// - Returns: the one that is kept, if another one came first.
    func keep(_ port: Port) -> Port {
        let mine = UnsafeMutablePointer<Port>.allocate(capacity: 1)
        mine.initialize(to: port)
        let exchange = pointer.compareExchange(
            expected: nil,
            desired: UnsafePointer(mine),
            ordering: .acquiringAndReleasing
        )
        guard !exchange.exchanged, let first = exchange.original else { return port }
        Self.destroy(mine)
        return first.pointee
    }

    private static func destroy(_ pointer: UnsafePointer<Port>) {
        let pointer = UnsafeMutablePointer(mutating: pointer)
        pointer.deinitialize(count: 1)
        pointer.deallocate()
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
