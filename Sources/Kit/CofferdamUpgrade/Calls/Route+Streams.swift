public import Cofferdam  // operations, sides and differences

extension Route {
    /// A stream of the unit's, from the side that the stage says; when the unit crosses over, the stream does too, without its
    /// subscriber's doing, and says what it may have missed: see `StreamingOperation.handedOver(by:catchingUp:)`.
    ///
    /// It is subscribed at once where its side is open, and fetches an element when one is asked for: a subscriber who is slow
    /// is dealt with as the side deals with it. It ends as its side's stream ends; released when the consuming task is cancelled
    /// or the stream is dropped. Iterate it once.
    public func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        let session = path.session
        let name = operation.name
        let here = session.streamSide(for: path.nameOfOverride(name))
        let sides = StreamSides<Element>(
            subscribeNow: { [self] side in ports.openedNow(side).map { operation($0, input) } },
            subscribe: { [self] side in
                do {
                    let port = try await port(Instance(answering: side), of: side, for: session.kindOfCall, session)
                    return operation(port, input)
                } catch {
                    throw StreamNotOpened(underlying: error)
                }
            },
            list: operation.catchUp.map { catchingUp(by: $0, session) },
            wanted: { [self] in
                // What cannot be handed over stays where it began.
                operation.handover == nil ? here : session.streamSide(for: path.nameOfOverride(name))
            },
            fallback: { [self] in await streamFallback(from: $0, for: operation.traits, session) },
            failed: { [self] in streamFailed(on: $0, of: name, by: $1, session) }
        )
        let carrier = StreamCarrier(
            sides,
            moving: operation.handover ?? .items(gap: { _ in .nothing }, item: { _ in nil }),
            isShared: !isSeparate,
            clock: settings.clock,
            executor: settings.executor
        )
        carrier.begin(watchedBy: session.watch { [weak carrier] in carrier?.look() })
        return MovingStream(carrier)
    }

    private func catchingUp<Element: Sendable>(
        by list: @escaping @Sendable (Port, Element) async throws -> [Element],
        _ session: UnitSession
    ) -> @Sendable (Side, Element) async throws -> [Element] {
        { side, last in
            let kind = session.kindOfCall
            let port = try await self.port(Instance(answering: side), of: side, for: kind, session)
            return try await self.path.noting(side, kind, session) { try await list(port, last) }
        }
    }

    private func streamFallback(from side: Side, for operation: OperationTraits, _ session: UnitSession) async -> Side?
    {
        let decision = path.decision(for: operation.name, session)
        guard decision.side == side else { return nil }
        return CallPlan(
            at: decision.route,
            effect: operation.effect,
            dataOwnership: settings.dataOwnership,
            unitSide: side,
            isSampled: false,
            hasWritten: isSeparate ? await session.writes.hasWritten(settings.capability, settings.memory) : false
        ).fallback
    }

    private func streamFailed(on side: Side, of operation: String, by error: any Error, _ session: UnitSession) {
        guard let observer = settings.observer, !(error is CancellationError) else { return }
        let decision = path.decision(for: operation, session)
        let outcome: RoutedCall.Outcome =
            switch error {
            case let error as StreamNotOpened: .notOpened(kind: settings.failures.kind(error.underlying))
            default:
                switch settings.failures.meaning(error) {
                case .answer: .answered
                case let meaning: .failed(meaning, kind: settings.failures.kind(error))
                }
            }
        observer.called(
            RoutedCall(
                capability: settings.capability,
                operation: operation,
                isStream: true,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: session.unit,
                isNamed: decision.isNamed,
                side: side,
                // Only the unit's own side is judged by it, not one that it has left or that stands in.
                role: decision.side == side ? .first : .fallback,
                outcome: outcome,
                answer: error.answer(by: settings.failures),
                duration: nil
            )
        )
    }
}

extension Error {
    /// The kind of the error, where it is an answer.
    fileprivate func answer(by failures: ErrorClassifier) -> String? {
        failures.meaning(self) == .answer ? failures.kind(self) : nil
    }
}
