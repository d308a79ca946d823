import Cofferdam
import struct Synchronization.Atomic

/// One capability's port wherever a router has it open.
final class SidePorts<Port: Sendable>: Sendable {
    let legacy = OpenedPort<Port>()
    let candidate = OpenedPort<Port>()
    private let shadowCandidate = OpenedPort<Port>()
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
    func opened(_ side: Side) -> Port? {
        switch side {
        case .legacy: legacy.port
        case .candidate: candidate.port
        }
    }

    /// The port, if that instance is open.
    func opened(_ instance: Instance) -> Port? {
        switch instance {
        case .legacy: legacy.port
        case .candidate: candidate.port
        case .shadowCandidate: shadowCandidate.port
        }
    }

    /// - Throws: what the opener throws, or `CancellationError`.
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
    /// Holds ports of this type alone.
    let slot = PortSlot()

    // Proof: `keep` puts boxes of this type there.
    var port: Port? { slot.box.map { unsafeDowncast($0, to: PortBox<Port>.self).port } }

    /// - Returns: the one that is kept, if another one came first.
    func keep(_ port: Port) -> Port {
        // Proof: as above.
        unsafeDowncast(slot.keep(PortBox(port)), to: PortBox<Port>.self).port
    }
}

/// A port of a type that is not known here, read without a lock by every call: an `AtomicLazyReference` would be read by a call
/// that is not inlined, and looks its type up each time.
final class PortSlot: Sendable {
    /// Kept until this is freed, and never another one.
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

/// An SDK that is open, or may be.
enum Instance: Sendable, Hashable, CaseIterable {
    case legacy, candidate
    /// The candidate on a copy of the legacy side's state: what it does there, nobody has to live with.
    case shadowCandidate

    /// Who answers a caller.
    init(answering side: Side) { self = side == .legacy ? .legacy : .candidate }

    /// Who is asked to be compared.
    init(shadowing side: Side) { self = side == .legacy ? .legacy : .shadowCandidate }
}
