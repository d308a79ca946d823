public import Cofferdam  // a call has an effect

/// A call of a port that can be made to go wrong, whatever it takes and gives.
public struct FaultyCall<Subject: Sendable>: Sendable {
    /// As findings name it.
    let name: String
    /// What it does to the vendor's data.
    let effect: Effect
    /// Whether a user must be signed in.
    let needsSession: Bool
    /// Whether a mutant can make a result up in place of an error.
    let canMakeUp: Bool
    let perform: @Sendable (Subject) async throws -> Void
    /// Makes all calls of the kind go wrong from now on, until ``clear``.
    let inject: @Sendable (Subject, VendorFault) async throws -> Void
    let clear: @Sendable (Subject) async throws -> Void
    /// How many calls of the kind have reached the vendor.
    let arrivals: @Sendable (Subject) async throws -> Int
    /// The subject whose call makes of an error what the closure makes of it.
    let converting: @Sendable (Subject, @escaping Convert) -> Subject

    /// Returns the error that takes the place of another; nil: a result that is made up does. May call again.
    typealias Convert = @Sendable (any Error, _ again: @Sendable () async -> Void) async -> (any Error)?

    /// - Parameters:
    ///   - call: where it stands in a subject.
    ///   - effect: what it does to the vendor's data; of one that changes something, a lost answer may be another category.
    ///   - needsSession: whether a user must be signed in. A 401 then is no error of the call, but begins a refresh
    ///     (AUTH-01), and without a vendor the call cannot be made at all.
    ///   - input: what to call with, in a world that ``ErrorOperation`` has prepared. Asked for each time, so that what
    ///     changes something can bear a key of its own.
    ///   - madeUp: what a careless adapter would give instead of an error, for the mutants that do so; nil: there are none.
    ///   - inject: makes every call of the kind go wrong from now on, the adapter's own retries too.
    ///   - clear: takes it back.
    ///   - arrivals: how many calls of the kind have reached the vendor so far.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        effect: Effect = .read,
        needsSession: Bool = false,
        input: @escaping @Sendable (Subject) async throws -> Input,
        madeUp: (@Sendable (Input) -> Output)? = nil,
        inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void,
        clear: @escaping @Sendable (Subject) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int
    ) {
        name = call.name
        self.effect = effect
        canMakeUp = madeUp != nil
        self.needsSession = needsSession
        self.inject = inject
        self.clear = clear
        self.arrivals = arrivals
        perform = { subject in _ = try await call(subject, try await input(subject)) }
        converting = { subject, convert in
            call.replaced(in: subject) { clean, input in
                do {
                    return try await clean(input)
                } catch {
                    let again: @Sendable () async -> Void = { do { _ = try await clean(input) } catch {} }
                    let converted = await convert(error, again)
                    guard converted == nil, let madeUp else { throw converted ?? error }
                    return madeUp(input)
                }
            }
        }
    }

    /// A stream, asked for its first event: its error, and what that tells, is looked at as a call's is.
    ///
    /// Effect and sign-in are as with a call, and so are `inject`, `clear` and `arrivals`.
    public init<Event: Sendable>(
        _ stream: PortStream<Subject, Event>,
        needsSession: Bool = false,
        inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void,
        clear: @escaping @Sendable (Subject) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int
    ) {
        name = stream.name
        effect = .read
        canMakeUp = false
        self.needsSession = needsSession
        self.inject = inject
        self.clear = clear
        self.arrivals = arrivals
        perform = { subject in for try await _ in stream(subject) { break } }
        converting = { subject, convert in
            stream.replaced(in: subject) { clean in
                let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
                let task = Task(executorPreference: nil) {
                    do {
                        for try await event in clean() { continuation.yield(event) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: await convert(error) {} ?? error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
                return events
            }
        }
    }

    func bears(_ fault: VendorFault) -> Bool { !(needsSession && fault == .status(401)) }

    /// The call's error while the fault lasts; nil if there is none.
    ///
    /// - Throws: what the probe throws, and `BoundExceeded` if the call does not come to an end.
    func error(of fault: VendorFault, _ subject: Subject, _ context: RuleContext) async throws -> (any Error)? {
        try await inject(subject, fault)
        let error = try await error(on: subject, "\(fault) on \(name)", context)
        try await clear(subject)
        return error
    }

    func error(on subject: Subject, _ what: String, _ context: RuleContext) async throws -> (any Error)? {
        do {
            try await context.within("\(what): an answer") { try await perform(subject) }
            return nil
        } catch let error as BoundExceeded {
            throw error
        } catch {
            try Task.checkCancellation()
            return error
        }
    }
}
