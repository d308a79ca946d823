import Cofferdam
import struct Synchronization.Atomic

/// The ports of one capability on the sides that are open.
final class SidePorts<Port: Sendable>: Sendable {
    let legacy = OpenedPort<Port>()
    let candidate = OpenedPort<Port>()
    private let shadowCandidate = OpenedPort<Port>()
    private let open: @Sendable (Instance) async throws -> Port
    private let openedElsewhere: @Sendable (Instance) -> Port?

    /// - Parameter openedElsewhere: returns the port of an instance that another route has opened; nil if none has.
    init(
        open: @escaping @Sendable (Instance) async throws -> Port,
        openedElsewhere: @escaping @Sendable (Instance) -> Port? = { _ in nil }
    ) {
        (self.open, self.openedElsewhere) = (open, openedElsewhere)
    }

    /// Returns the port of the side that answers, if any route has opened it.
    func openedNow(_ side: Side) -> Port? { opened(side) ?? openedElsewhere(Instance(answering: side)) }

    /// Returns the port of the side that answers, if it is open.
    func opened(_ side: Side) -> Port? {
        switch side {
        case .legacy: legacy.port
        case .candidate: candidate.port
        }
    }

    /// Returns the port of an instance, if it is open.
    func opened(_ instance: Instance) -> Port? {
        switch instance {
        case .legacy: legacy.port
        case .candidate: candidate.port
        case .shadowCandidate: shadowCandidate.port
        }
    }

    /// Returns the port of an instance, and opens it if necessary.
    ///
    /// - Throws: errors of the opener, or `CancellationError`.
    func port(_ instance: Instance) async throws -> Port {
        if let port = opened(instance) { return port }
        let port = try await open(instance)
        return switch instance {
        case .legacy: legacy.keep(port)
        case .candidate: candidate.keep(port)
        case .shadowCandidate: shadowCandidate.keep(port)
        }
    }
}

/// A port that is opened once.
final class OpenedPort<Port: Sendable>: Sendable {
    /// Only holds ports of this type.
    let slot = PortSlot()

    // Proof: `keep` puts boxes of this type there.
    var port: Port? { slot.box.map { unsafeDowncast($0, to: PortBox<Port>.self).port } }

    /// - Returns: the one that is kept, if another one came first.
    func keep(_ port: Port) -> Port {
        // Proof: as above.
        unsafeDowncast(slot.keep(PortBox(port)), to: PortBox<Port>.self).port
    }
}

/// A type-erased port, read without a lock by every call. An `AtomicLazyReference` would not be inlined, and would look
/// up its type at each read.
final class PortSlot: Sendable {
    /// Kept until `deinit`; never replaced.
    private let kept = Atomic<Unmanaged<AnyPortBox>?>(nil)

    deinit { kept.load(ordering: .acquiring)?.release() }

    var box: AnyPortBox? { kept.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// - Returns: the one that is kept, if another one came first.
    func keep(_ box: AnyPortBox) -> AnyPortBox {
        let mine = Unmanaged.passRetained(box)
        let exchange = kept.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
        guard !exchange.exchanged, let first = exchange.original else { return box }
        mine.release()
        return first.takeUnretainedValue()
    }
}

/// An instance of an SDK.
enum Instance: Sendable, Hashable, CaseIterable {
    case legacy, candidate
    /// The candidate on a copy of the state of the legacy side, so that nothing it does there has consequences.
    case shadowCandidate

    /// The instance that answers callers.
    init(answering side: Side) { self = side == .legacy ? .legacy : .candidate }

    /// The instance that is asked for comparison.
    init(shadowing side: Side) { self = side == .legacy ? .legacy : .shadowCandidate }
}
