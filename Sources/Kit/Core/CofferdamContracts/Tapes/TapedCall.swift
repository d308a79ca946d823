public import Cofferdam  // for PortOperation

/// An operation or a stream of a port, and its calls that are recorded with one adapter and repeated with another.
///
/// Everything else comes from the port's table: how the operation's answer and arguments are recorded, and how its
/// pages are walked.
public struct TapedCall<Subject: Sendable>: Sendable {
    /// The operation's name on the tape: "catalogue.animal".
    package let name: String
    /// Why its calls cannot be made; nil if they can.
    let obstacle: String?
    /// Whether its calls change something; they are then made only in an isolated world.
    let writes: Bool
    let isStream: Bool
    let record: Record
    let makeAgain: MakeAgain

    typealias Record = @Sendable (Subject, TapeRecorder, (any TapeErrorRecord.Type)?) async throws -> Void
    typealias MakeAgain =
        @Sendable (TapeEntry, Subject, TapeRedaction, (any TapeErrorRecord.Type)?, inout TapeCursors) async throws ->
        RepeatedCall

    /// Describes calls of an operation. If the table describes its pages, each call is the first of a walk. An
    /// operation that changes something is called only if the description of all calls says that each adapter has its
    /// own world.
    ///
    /// - Parameters:
    ///   - operation: an operation of the port's table that is `recorded`.
    ///   - port: the first part of the operation's name on a tape of several ports: "catalogue".
    ///   - target: returns the subject's port.
    ///   - calls: the input of each call.
    public init<Port: Sendable, Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        of port: String? = nil,
        on target: @escaping @Sendable (Subject) -> Port,
        calls: [Input]
    ) {
        let name = nameOnTape(operation.name, of: port)
        guard let recording = operation.recording else {
            self.init(unrecorded: name)
            return
        }
        let walk = TapedWalk(operation: operation, name: name, recording: recording, calls: calls)
        self.init(
            name,
            writes: !operation.traits.isReading,
            isStream: false,
            record: { subject, recorder, errors in
                try await walk.record(target(subject), recorder, errors, as: recording.record)
            },
            makeAgain: { entry, subject, redaction, errors, cursors in
                try await walk.makeAgain(entry, on: target(subject), redaction, errors, &cursors, as: recording.record)
            }
        )
    }

    /// Describes subscriptions of a stream, each of which is followed from its beginning.
    ///
    /// - Parameters:
    ///   - stream: a stream of the port's table that is `recorded`.
    ///   - port: the first part of the stream's name on a tape of several ports: "feed".
    ///   - target: returns the subject's port.
    ///   - calls: the input of each subscription.
    ///   - count: the number of elements after which a subscription is cancelled; at least 1. Nothing is sent in the
    ///     meantime: describe streams that the vendor fills itself, such as with the current state, or that earlier
    ///     calls have filled.
    ///   - limit: how long to wait for all elements of one subscription.
    ///   - clock: the clock of `limit`.
    public init<Port: Sendable, Input: Sendable, Element: Sendable>(
        _ stream: StreamingOperation<Port, Input, Element>,
        of port: String? = nil,
        on target: @escaping @Sendable (Subject) -> Port,
        calls: [Input],
        taking count: Int,
        within limit: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let name = nameOnTape(stream.name, of: port)
        guard let recording = stream.recording else {
            self.init(unrecorded: name)
            return
        }
        let subscription = TapedSubscription(
            operation: stream,
            name: name,
            recording: recording,
            calls: calls,
            count: max(1, count),
            limit: limit,
            clock: clock
        )
        self.init(
            name,
            writes: false,
            isStream: true,
            record: { subject, recorder, errors in
                try await subscription.record(target(subject), recorder, errors, as: recording.record)
            },
            makeAgain: { entry, subject, redaction, errors, _ in
                try await subscription.makeAgain(entry, on: target(subject), redaction, errors, as: recording.record)
            }
        )
    }

    private init(unrecorded name: String) {
        let error = TapeError(.unrecordable, "its table does not say how it is recorded", subject: name)
        self.init(
            name,
            obstacle: error.message,
            writes: false,
            isStream: false,
            record: { _, _, _ in throw error },
            makeAgain: { _, _, _, _, _ in throw error }
        )
    }

    private init(
        _ name: String,
        obstacle: String? = nil,
        writes: Bool,
        isStream: Bool,
        record: @escaping Record,
        makeAgain: @escaping MakeAgain
    ) {
        (self.name, self.obstacle, self.writes, self.isStream) = (name, obstacle, writes, isStream)
        (self.record, self.makeAgain) = (record, makeAgain)
    }

    /// Describes the single call of an operation without parameters.
    ///
    /// - Parameters:
    ///   - operation: an operation of the port's table that is `recorded`.
    ///   - port: the first part of the operation's name on a tape of several ports: "catalogue".
    ///   - target: returns the subject's port.
    public init<Port: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Void, Output>,
        of port: String? = nil,
        on target: @escaping @Sendable (Subject) -> Port
    ) {
        self.init(operation, of: port, on: target, calls: [()])
    }
}

/// For each operation and cursor on the tape, the cursor that the live adapter returned instead: a cursor belongs to
/// the side that returned it.
struct TapeCursors: Sendable {
    private var live: [String: [String: String]] = [:]

    func recorded(of operation: String) -> [String] { (live[operation] ?? [:]).keys.sorted() }

    subscript(operation: String, recorded: String) -> String? {
        get { live[operation]?[recorded] }
        set { live[operation, default: [:]][recorded] = newValue }
    }
}

/// The result of a repeated call.
enum RepeatedCall: Sendable {
    case differences([TapeDifference])
    /// One returned and the other threw.
    case otherOutcome(recorded: String, called: String)
    case notMade(String)
}

/// The calls of one operation.
private struct TapedWalk<Port: Sendable, Input: Sendable, Output: Sendable>: Sendable {
    /// No walk of a described call is longer: an endless list does not fit on a tape.
    private static var maxPages: Int { 1000 }

    let operation: PortOperation<Port, Input, Output>
    let name: String
    let recording: TapeRecording<Input, Output>
    let calls: [Input]

    func record<Record: TapeRecord<Output>>(
        _ port: Port,
        _ recorder: TapeRecorder,
        _ errors: (any TapeErrorRecord.Type)?,
        as record: Record.Type
    ) async throws {
        for call in calls {
            var input = call
            var pages = 0
            while true {
                guard let output = try await make(input, port, recorder, errors, as: record),
                    let paging = operation.paging, let next = paging.next(output)
                else { break }
                pages += 1
                guard pages < Self.maxPages, paging.cursor(input) != next else {
                    throw TapeError(.unrecordable, "its pages never end: \(pages) were read", subject: name)
                }
                paging.setCursor(&input, next)
            }
        }
    }

    /// Makes the call and returns its answer; nil for an error, which is then on the tape.
    private func make<Record: TapeRecord<Output>>(
        _ input: Input,
        _ port: Port,
        _ recorder: TapeRecorder,
        _ errors: (any TapeErrorRecord.Type)?,
        as record: Record.Type
    ) async throws -> Output? {
        do {
            let kind: TapeCallKind = operation.traits.isReading ? .read : .write
            return try await recorder.port(port, errors: errors)
                .call(name, recording.arguments(input), kind: kind, as: record) { try await operation($0, input) }
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    func makeAgain<Record: TapeRecord<Output>>(
        _ entry: TapeEntry,
        on port: Port,
        _ redaction: TapeRedaction,
        _ errors: (any TapeErrorRecord.Type)?,
        _ cursors: inout TapeCursors,
        as record: Record.Type
    ) async throws -> RepeatedCall {
        guard let input = try input(of: entry, redaction, cursors) else {
            let isPage = operation.paging != nil
            return .notMade(
                "no described call has these arguments" + (isPage ? ", and no page before it leads to them" : "")
            )
        }
        // Nothing of it is kept, so it is not a recording, which CI would forbid.
        let recorder = try TapeRecorder(name, redaction: redaction, environment: [:])
        let output = try await make(input, port, recorder, errors, as: record)
        let live: TapeOutcome
        do throws(TapeError) {
            live = try recorder.finish().entries.first?.outcome ?? .cancelled
        } catch {
            // The message of a found secret names it, and shows nothing of its value.
            if error.code == .secret { throw error }
            return .otherOutcome(recorded: entry.outcome.words, called: error.message)
        }
        switch (entry.outcome, live) {
        case (.returned(let value), .returned):
            guard let output else { return .notMade("it was cancelled") }
            let recorded = try entry.read(value, as: record)
            if let paging = operation.paging, let old = paging.next(recorded) {
                cursors[name, old] = paging.next(output)
            }
            return .differences(
                TapeDifference.between(
                    try onTape(recorded, redaction, as: record),
                    try onTape(output, redaction, as: record),
                    at: TapePath(["result"]),
                    matchesIDs: true
                )
            )
        case (.failed(let old), .failed(let new)):
            return .differences(
                TapeDifference.between(
                    try old.comparable,
                    try new.comparable,
                    at: TapePath(["error"]),
                    matchesIDs: true
                )
            )
        case (let old, let new): return .otherOutcome(recorded: old.words, called: new.words)
        }
    }

    /// Returns the described input whose arguments on the tape are the entry's, with the live adapter's own cursor.
    private func input(of entry: TapeEntry, _ redaction: TapeRedaction, _ cursors: TapeCursors) throws -> Input? {
        func matches(_ input: Input) throws -> Bool {
            try redaction.apply(to: recording.arguments(input), at: TapePath(name, "arguments")) == entry.arguments
        }
        for call in calls {
            if try matches(call) { return call }
            guard let paging = operation.paging else { continue }
            for cursor in cursors.recorded(of: name) {
                var input = call
                paging.setCursor(&input, cursor)
                guard try matches(input), let live = cursors[name, cursor] else { continue }
                paging.setCursor(&input, live)
                return input
            }
        }
        return nil
    }

    /// Returns the answer's value on a tape, in which a cursor shows only that there is one.
    private func onTape<Record: TapeRecord<Output>>(
        _ output: Output,
        _ redaction: TapeRedaction,
        as record: Record.Type
    ) throws -> TapeValue {
        var output = output
        if let paging = operation.paging, paging.next(output) != nil { paging.setNext(&output, "(a cursor)") }
        return try redaction.apply(to: Record(output), at: TapePath(name, "result"))
    }
}

extension TapeOutcome {
    /// For people: "an answer", "ShopError: …".
    var words: String {
        switch self {
        case .returned: "an answer"
        case .failed(let failure): "\(failure.type): \(failure.record?.summary ?? failure.text ?? "")"
        case .cancelled: "cancelled"
        }
    }
}

extension TapeFailure {
    /// Everything that the tape knows about the error.
    var comparable: TapeValue {
        get throws { try record.map { .object(["type": .text(type), "record": $0]) } ?? TapeValue(encoding: self) }
    }
}
