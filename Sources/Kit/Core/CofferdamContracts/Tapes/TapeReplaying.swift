import Cofferdam

extension TapePlayer {
    /// Waits until the call may be answered at this player's pace.
    func wait(for entry: TapeEntry) async throws {
        if case .inOrder = pace {
            try await waitForOverlappingCalls(with: entry)
        } else {
            try await waiting()(entry.took)
        }
    }

    /// Returns a function that waits until this many microseconds from now, if this player keeps the pace.
    func waiting() -> (Int64) async throws -> Void {
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
    /// Returns or throws as recorded.
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

    /// - Throws: `TapeError` with `unreadable`, naming the field.
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
            // As long as `complete` is held, it is not reported as dropped.
            VendorCancellation { withExtendedLifetime(complete) {} }
        }
    }
}
