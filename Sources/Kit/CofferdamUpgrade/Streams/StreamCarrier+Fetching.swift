import Cofferdam

/// A side that is subscribed: its elements are fetched one by one, as they are wanted.
extension StreamCarrier {
    func start(_ side: Side, _ number: Int) {
        // Subscribed before it returns: what is sent after a subscription is heard.
        let events = sides.subscribeNow(side)
        run(number) {
            do {
                if let events { return try await self.fetch(events, from: side, number) }
                try await self.fetch(self.sides.subscribe(side), from: side, number)
            } catch let error as StreamNotOpened {
                let fallback = await self.sides.fallback(side)
                self.failed(side, number, error) { $0.couldNotOpen(side, error.underlying, fallback: fallback) }
            } catch {
                self.failed(side, number, error) { $0.ended(side, by: error) }
            }
        }
    }

    private func fetch(_ events: StreamSides<Element>.Events, from side: Side, _ number: Int) async throws {
        change(side, number) { $0.subscribed(side) }
        var iterator = events.makeAsyncIterator()
        while await mayFetch(side, number) {
            // Not before: one who has leave may wait long for a thread, and the side is not idle meanwhile.
            state.withLock { if $0.feeds[side]?.number == number { $0.feeds[side]?.isFetching = true } }
            guard let element = try await iterator.next(isolation: nil) else {
                return change(side, number) { $0.ended(side, by: nil) }
            }
            change(side, number) { $0.received(element, from: side) }
        }
    }

    private func failed(
        _ side: Side,
        _ number: Int,
        _ error: any Error,
        _ body: (inout StreamMerge<Element>) -> [StreamCommand<Element>]
    ) {
        guard state.withLock({ $0.feeds[side]?.number == number }) else { return }
        sides.failed(side, error)
        change(side, number, body)
    }

    /// Waits until the next element is wanted; false if the side has been left.
    private func mayFetch(_ side: Side, _ number: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            perform { state, deeds in
                if state.feeds[side]?.number == number {
                    state.feeds[side]?.waiting = continuation
                } else {
                    deeds.append { continuation.resume(returning: false) }
                }
            }
        }
    }

    /// Tells the merge of a side that has not been left meanwhile.
    private func change(
        _ side: Side,
        _ number: Int,
        _ body: (inout StreamMerge<Element>) -> [StreamCommand<Element>]
    ) {
        change { state in
            guard state.feeds[side]?.number == number else { return [] }
            state.feeds[side]?.isFetching = false
            return body(&state.merge)
        }
    }

    /// Lets the sides go on of which an element is wanted now.
    func permit(_ state: inout State, _ deeds: inout [Deed]) {
        for (side, feed) in state.feeds {
            guard let waiting = feed.waiting, isWanted(side, state) else { continue }
            state.feeds[side]?.waiting = nil
            deeds.append { waiting.resume(returning: true) }
        }
    }

    private func isWanted(_ side: Side, _ state: State) -> Bool {
        switch state.merge.attention(to: side) {
        case .none: false
        case .onDemand: state.waiting != nil && state.out.isEmpty
        case .ahead(let waiting): max(waiting, side == state.merge.active ? state.out.count : 0) < limits.memory
        }
    }
}
