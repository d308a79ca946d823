import Cofferdam

/// A stream whose elements are recorded as they reach the consumer.
struct RecordedStream<Record: TapeRecord>: AsyncSequence, Sendable {
    typealias Element = Record.Value
    typealias Failure = any Error

    let stream: any AsyncSequence<Element, any Error> & Sendable
    let recorder: TapeRecorder
    let operation: String
    let arguments: TapeValue
    let errors: (any TapeErrorRecord.Type)?

    func makeAsyncIterator() -> Iterator {
        Iterator(
            source: stream.makeAsyncIterator(),
            recorded: self,
            number: recorder.begin(operation, .read, arguments, isStream: true)
        )
    }

    struct Iterator: AsyncIteratorProtocol {
        var source: any AsyncIteratorProtocol<Element, any Error>
        let recorded: RecordedStream
        /// The entry's; nil when the recording was over already.
        let number: Int?

        mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            let (recorder, operation) = (recorded.recorder, recorded.operation)
            do {
                let element = try await source.next(isolation: actor)
                guard let number else { return element }
                if let element {
                    recorder.add(Record(element), to: number, of: operation)
                } else {
                    recorder.end(number, of: operation, returning: NothingRecord(()))
                }
                return element
            } catch {
                if let number { recorder.end(number, of: operation, throwing: error, recorded.errors) }
                throw error
            }
        }
    }
}

/// A stream from a tape.
struct ReplayedStream<Record: TapeRecord>: AsyncSequence, Sendable {
    typealias Element = Record.Value
    typealias Failure = any Error

    let player: TapePlayer
    let errors: (any TapeErrorRecord.Type)?
    let take: @Sendable () throws(TapeError) -> TapeEntry

    func makeAsyncIterator() -> Iterator {
        let entry: Result<TapeEntry, TapeError>
        do throws(TapeError) { entry = .success(try take()) } catch { entry = .failure(error) }
        return Iterator(entry: entry, errors: errors, waiting: player.waiting())
    }

    struct Iterator: AsyncIteratorProtocol {
        let entry: Result<TapeEntry, TapeError>
        let errors: (any TapeErrorRecord.Type)?
        let waiting: (Int64) async throws -> Void
        var position = 0
        var isOver = false

        mutating func next() async throws -> Element? {
            guard !isOver else { return nil }
            do {
                let entry = try entry.get()
                let items = entry.items ?? []
                if position < items.count {
                    let item = items[position]
                    try await waiting(item.at)
                    position += 1
                    return try entry.read(item.value, as: Record.self)
                }
                try await waiting(entry.took)
                try await entry.end(as: NothingRecord.self, errors)
                isOver = true
                return nil
            } catch {
                isOver = true
                throw error
            }
        }
    }
}

extension TapePlayer {
    /// Waits as long as the recorded call took, if this player keeps the pace.
    func wait(microseconds: Int64) async throws { try await waiting()(microseconds) }

    /// Waits until so many microseconds after now, if this player keeps the pace.
    fileprivate func waiting() -> (Int64) async throws -> Void {
        guard case .recorded(let clock) = pace else { return { _ in try Task.checkCancellation() } }
        return Self.waiting(on: clock)
    }

    private static func waiting<C: Clock<Duration>>(on clock: C) -> (Int64) async throws -> Void {
        let start = clock.now
        return { microseconds in
            try Task.checkCancellation()
            let due = start.advanced(by: .microseconds(microseconds))
            if due > clock.now { try await clock.sleep(until: due, tolerance: nil) }
        }
    }
}

extension TapeEntry {
    /// Ends as it was recorded.
    func end<Record: TapeRecord>(
        as record: Record.Type,
        _ errors: (any TapeErrorRecord.Type)?
    ) async throws -> Record.Value {
        switch outcome {
        case .returned(let value): return try read(value, as: record)
        case .failed(let failure): throw try error(of: failure, errors)
        case .cancelled: return try await cancellation()
        }
    }

    /// - Throws: ``TapeError`` with `unreadable`, naming the field.
    func read<Record: TapeRecord>(_ value: TapeValue, as record: Record.Type) throws -> Record.Value {
        do { return try value.decode(record).value } catch {
            let text = (error as? DecodingError)?.whatAndWhere ?? "\(error)"
            throw TapeError(
                .unreadable,
                "recorded as another type than \(Record.Value.self): \(text)",
                subject: operation
            )
        }
    }

    private func error(of failure: TapeFailure, _ errors: (any TapeErrorRecord.Type)?) throws -> any Error {
        guard let record = failure.record else { return TapedError(type: failure.type, text: failure.text ?? "") }
        guard let errors else {
            let text = "its \(failure.type) has a record, and the port was opened without one for errors"
            throw TapeError(.unreadable, text, subject: operation)
        }
        do { return try record.decode(errors).error } catch {
            let text = (error as? DecodingError)?.whatAndWhere ?? "\(error)"
            throw TapeError(.unreadable, "its \(failure.type) is recorded as another type: \(text)", subject: operation)
        }
    }

    /// Waits until the caller is cancelled.
    private func cancellation<Value: Sendable>() async throws -> Value {
        try await vendorCall { (complete: @escaping @Sendable (Result<Value, any Error>) -> Void) in
            // As long as `complete` is held, nobody says that it was dropped.
            VendorCancellation { withExtendedLifetime(complete) {} }
        }
    }
}
