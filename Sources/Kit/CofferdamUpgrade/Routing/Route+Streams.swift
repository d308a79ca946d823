extension Route {
    /// A stream of the unit's, from the side that the stage says; when the unit crosses over, the stream does too, without its
    /// subscriber's doing, and says what it may have missed.
    ///
    /// ```swift
    /// func events() -> any AsyncSequence<KeeperEvent, any Error> & Sendable {
    ///     route.stream("events", moving: .keepers) { $0.events() }
    /// }
    /// ```
    ///
    /// It is subscribed at once where its side is open, and fetches an element when one is asked for: a subscriber who is slow
    /// is dealt with as the side deals with it. It ends as its side's stream ends; released when the consuming task is cancelled
    /// or the stream is dropped. Iterate it once.
    ///
    /// - Parameters:
    ///   - effect: ``Effect/exclusive`` for a stream that no other side takes over when its own has failed.
    ///   - moving: what the elements are, so that a side can take over where the other ended.
    ///   - catchingUp: where the port has a list: what came after that element, in its order. Asked after a gap.
    ///   - body: the port's stream.
    public func stream<Element: Sendable>(
        _ operation: String,
        _ effect: Effect = .read,
        moving: Moving<Element>,
        catchingUp: (@Sendable (Port, _ last: Element) async throws -> [Element])? = nil,
        _ body: @escaping @Sendable (Port) -> any AsyncSequence<Element, any Error> & Sendable
    ) -> any AsyncSequence<Element, any Error> & Sendable {
        let sides = StreamSides<Element>(
            subscribeNow: { [core] side in core.ports.openedNow(side).map(body) },
            subscribe: { [core] side in
                do {
                    return body(try await core.port(Instance(answering: side), of: side, for: core.session.kindOfCall))
                } catch {
                    throw StreamNotOpened(underlying: error)
                }
            },
            list: core.listing(by: catchingUp),
            wanted: { [core] in core.session.streamSide(for: core.nameOfOverride(operation)) },
            fallback: { [core] in await core.streamFallback(from: $0, for: operation, effect) },
            failed: { [core] in core.streamFailed(on: $0, of: operation, by: $1) }
        )
        let carrier = StreamCarrier(
            sides,
            moving: moving,
            isShared: !core.isSeparate,
            clock: core.settings.clock,
            executor: core.settings.executor
        )
        carrier.begin(watchedBy: core.session.watch { [weak carrier] in carrier?.look() })
        return MovingStream(carrier)
    }
}

extension RouteCore {
    fileprivate func listing<Element: Sendable>(
        by list: (@Sendable (Port, Element) async throws -> [Element])?
    ) -> (@Sendable (Side, Element) async throws -> [Element])? {
        guard let list else { return nil }
        return { side, last in
            let kind = self.session.kindOfCall
            let port = try await self.port(Instance(answering: side), of: side, for: kind)
            return try await self.noting(side, kind) { try await list(port, last) }
        }
    }

    fileprivate func streamFallback(from side: Side, for operation: String, _ effect: Effect) async -> Side? {
        let decision = decision(for: operation)
        guard decision.side == side else { return nil }
        return CallPlan(
            at: decision.route,
            effect: effect,
            backing: settings.backing,
            unitSide: side,
            isSampled: false,
            hasWritten: isSeparate ? await session.writes.hasWritten(by: settings) : false
        ).fallback
    }

    fileprivate func streamFailed(on side: Side, of operation: String, by error: any Error) {
        guard let observer = settings.observer, !(error is CancellationError) else { return }
        let decision = decision(for: operation)
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
    fileprivate func answer(by failures: FailureReading) -> String? {
        failures.meaning(self) == .answer ? failures.kind(self) : nil
    }
}
