import Cofferdam

/// The subscriptions of one stream that are recorded with one adapter, one after the other.
struct TapedSubscription<Port: Sendable, Input: Sendable, Element: Sendable>: Sendable {
    let operation: StreamingOperation<Port, Input, Element>
    let name: String
    let recording: StreamRecording<Input, Element>
    let calls: [Input]
    /// How many elements of a subscription are recorded.
    let count: Int
    /// How long to wait for the elements of one subscription.
    let limit: Duration
    let clock: any Clock<Duration>

    func record<Record: TapeRecord<Element>>(
        _ port: Port,
        _ recorder: TapeRecorder,
        _ errors: (any TapeErrorRecord.Type)?,
        as record: Record.Type
    ) async throws {
        for input in calls { try await take(count, of: input, on: port, recorder, errors, as: record) }
    }

    func makeAgain<Record: TapeRecord<Element>>(
        _ entry: TapeEntry,
        on port: Port,
        _ redaction: TapeRedaction,
        _ errors: (any TapeErrorRecord.Type)?,
        as record: Record.Type
    ) async throws -> RepeatedCall {
        let input = try calls.first {
            try redaction.apply(to: recording.arguments($0), at: TapePath(name, "arguments")) == entry.arguments
        }
        guard let input else { return .notMade("no described subscription has these arguments") }
        let items = entry.items ?? []
        let isOpen = entry.outcome == .cancelled
        if isOpen, items.isEmpty { return .notMade("it had delivered nothing") }
        // Nothing of it is kept, so it is not a recording, which CI would forbid.
        let recorder = try TapeRecorder(name, redaction: redaction, environment: [:])
        // If the stream had ended, one more is awaited, which is its end.
        try await take(isOpen ? items.count : items.count + 1, of: input, on: port, recorder, errors, as: record)
        let live: TapeEntry?
        do throws(TapeError) {
            live = try recorder.finish().entries.first
        } catch {
            if error.code == .secret { throw error }
            return .otherOutcome(recorded: entry.endWords, called: error.message)
        }
        guard let live else { return .notMade("it did not begin") }
        return .differences(try differences(between: entry, live, isOpen: isOpen))
    }

    private func differences(
        between recorded: TapeEntry,
        _ live: TapeEntry,
        isOpen: Bool
    ) throws -> [TapeDifference] {
        func elements(_ entry: TapeEntry) -> TapeValue { .array((entry.items ?? []).map(\.value)) }
        // In their order, which is part of what a stream says.
        let items = TapeDifference.between(elements(recorded), elements(live), at: TapePath(["items"]))
        // A stream that was left before its end may end or not.
        if isOpen {
            guard case .failed = live.outcome else { return items }
            return items + [TapeDifference(path: TapePath(["(end)"]), recorded: nil, called: live.endWords)]
        }
        if case .failed(let old) = recorded.outcome, case .failed(let new) = live.outcome {
            return items
                + TapeDifference.between(
                    try old.comparable,
                    try new.comparable,
                    at: TapePath(["error"]),
                    matchesIDs: true
                )
        }
        guard recorded.endWords != live.endWords else { return items }
        return items
            + [TapeDifference(path: TapePath(["(end)"]), recorded: recorded.endWords, called: live.endWords)]
    }

    /// Subscribes until this many elements have arrived, the stream has ended, or the limit has passed. An error is
    /// recorded.
    private func take<Record: TapeRecord<Element>>(
        _ count: Int,
        of input: Input,
        on port: Port,
        _ recorder: TapeRecorder,
        _ errors: (any TapeErrorRecord.Type)?,
        as record: Record.Type
    ) async throws {
        guard let arguments = recorder.recordable(recording.arguments(input), of: name),
            let number = recorder.begin(name, .read, arguments, isStream: true)
        else { return }
        do {
            try await Self.within(limit, on: clock) { [operation, name] in
                var taken = 0
                for try await element in operation(port, input) {
                    recorder.add(Record(element), to: number, of: name)
                    taken += 1
                    if taken == count { return }
                }
                // A cancelled stream comes to an end, too.
                if !Task.isCancelled { recorder.end(number, of: name, returning: NothingRecord(())) }
            }
        } catch is DeadlineExceeded {
            // The stream was still open when it was left.
        } catch {
            try Task.checkCancellation()
            recorder.end(number, of: name, throwing: error, errors)
        }
    }

    private static func within<C: Clock<Duration>>(
        _ limit: Duration,
        on clock: C,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withDeadline(limit, clock: clock, body)
    }
}

extension TapeEntry {
    /// How a stream ended, for people.
    fileprivate var endWords: String {
        switch outcome {
        case .returned: "its end"
        case .failed: outcome.words
        case .cancelled: "still open after \(items?.count ?? 0)"
        }
    }
}
