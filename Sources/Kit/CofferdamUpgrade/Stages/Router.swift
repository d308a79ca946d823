import Cofferdam

/// Holds both sides of a port, and gives the one that answers at a stage.
///
/// A side is opened when it is first needed, once, however many ask at a time: opening an SDK is itself a write. At
/// `legacyOnly` the candidate is never opened. A side that failed to open is tried again by the next who needs it.
public struct Router<Port: Sendable>: Sendable {
    private let legacy: Opening<Port>
    private let candidate: Opening<Port>

    /// - Parameter executor: where the openers run.
    public init(
        executor: (any TaskExecutor)? = nil,
        legacy: @escaping @Sendable () async throws -> Port,
        candidate: @escaping @Sendable () async throws -> Port
    ) {
        self.legacy = Opening(executor: executor, open: legacy)
        self.candidate = Opening(executor: executor, open: candidate)
    }

    /// The side that answers at `stage`, opened. It hands out a whole side, and so can follow only the stages that open
    /// one: `legacyOnly` and `candidateOnly`.
    ///
    /// - Throws: ``StageError`` with `unsupportedStage` for every other stage, before anything is opened; what the side's
    ///   opener throws; `CancellationError` as soon as this task is cancelled.
    public func port(at stage: Stage) async throws -> Port {
        guard !stage.opensBothSides, let side = stage.side else { throw StageError.unsupported(stage) }
        return try await opening(side).port()
    }

    /// Who is open now, to be closed.
    public var opened: [Side: Port] {
        var opened: [Side: Port] = [:]
        for side in Side.allCases { opened[side] = opening(side).opened }
        return opened
    }

    private func opening(_ side: Side) -> Opening<Port> {
        switch side {
        case .legacy: legacy
        case .candidate: candidate
        }
    }
}

/// One side, opened at most once.
private struct Opening<Port: Sendable>: Sendable {
    private let loadable: Loadable<Port>

    init(executor: (any TaskExecutor)?, open: @escaping @Sendable () async throws -> Port) {
        loadable = Loadable(executor: executor, load: open)
    }

    var opened: Port? { loadable.snapshot.contents }

    func port() async throws -> Port { try await loadable.fetchIfNeeded() }
}
