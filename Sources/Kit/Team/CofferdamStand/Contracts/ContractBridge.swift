#if TestStand
public import Cofferdam  // for Effect
public import CofferdamContracts  // the families' vocabulary

extension TestProxy {
    /// Acts out a vendor's fault on the next requests of an operation, or of all operations.
    ///
    /// - Parameter times: how many requests; `nil` for all until ``clearRules(for:)``.
    /// - Throws: ``ProxyError/unsupported(fault:framing:)`` if the protocol has no such fault.
    public func inject(_ fault: VendorFault, on operation: String? = nil, times: Int? = 1) throws {
        guard let action = framing.action(for: fault) else {
            throw ProxyError.unsupported(fault: "\(fault)", framing: framing.name)
        }
        apply(action, to: operation, times: times)
    }

    /// Acts out an incident on the streams of an operation that are served now.
    ///
    /// - Parameter bytes: what the server would send: a sign of life; its last bytes when it ends a stream properly, or none;
    ///   half of an event. Not sent when the connection is lost.
    public func simulate(
        _ incident: StreamIncident,
        on operation: String,
        sending bytes: [UInt8] = []
    ) async throws {
        let ending: ProxyAction.Ending? =
            switch incident {
            case .heartbeat: nil
            case .end: .close
            case .truncation, .loss: .reset
            }
        try await send(incident == .loss ? [] : bytes, to: .serving(operation), then: ending)
    }

    /// Removes the faults that have not occurred yet, and answers the calls that are held.
    fileprivate func clearFaults(on operation: String? = nil) async throws {
        clearRules(for: operation)
        try await release(operation)
    }
}

extension HeldCalls {
    /// The calls that a subject's proxy holds.
    ///
    /// - Parameter proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init(proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy) {
        self.init(
            wait: { try await proxy($0).waitForHeld(exactly: $1) },
            release: { try await proxy($0).release() }
        )
    }
}

extension ProbedCall {
    /// A call whose requests pass through a subject's proxy.
    ///
    /// - Parameters:
    ///   - repetition: by default harmless if the call reads, and harmful if it does not.
    ///   - operation: the name that the proxy's framing gives to the requests; `nil` if no other call makes
    ///     requests.
    ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init(
        _ call: AnyPortCall<Subject>,
        another: AnyPortCall<Subject>? = nil,
        isReading: Bool,
        repetition: Repetition? = nil,
        isSerial: Bool = false,
        isShared: Bool = false,
        requires: Set<CapabilityTag> = [],
        comparable: @escaping @Sendable (any Sendable) -> any Sendable = { $0 },
        operation: String?,
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy,
        users: (@Sendable (Subject) async throws -> [String])? = nil
    ) {
        self.init(
            call,
            another: another,
            isReading: isReading,
            repetition: repetition,
            isSerial: isSerial,
            isShared: isShared,
            requires: requires,
            comparable: comparable,
            inject: { try proxy($0).inject($1, on: operation, times: $2) },
            arrivals: { try proxy($0).arrivals(of: operation) },
            waitForArrivals: { try await proxy($0).waitForArrivals(of: operation, atLeast: $1) },
            users: users
        )
    }
}

extension FaultyCall {
    /// A call whose requests pass through a subject's proxy.
    ///
    /// - Parameters:
    ///   - operation: the name that the proxy's framing gives to the requests; `nil` if no other call makes
    ///     requests.
    ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init<Input: Sendable, Output: Sendable>(
        _ call: PortCall<Subject, Input, Output>,
        effect: Effect = .read,
        needsSession: Bool = false,
        input: @escaping @Sendable (Subject) async throws -> Input,
        fabricated: (@Sendable (Input) -> Output)? = nil,
        operation: String?,
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
    ) {
        self.init(
            call,
            effect: effect,
            needsSession: needsSession,
            input: input,
            fabricated: fabricated,
            inject: { try proxy($0).inject($1, on: operation, times: nil) },
            clear: { try await proxy($0).clearFaults(on: operation) },
            arrivals: { try proxy($0).arrivals(of: operation) }
        )
    }

    /// A stream whose request passes through a subject's proxy.
    ///
    /// The parameters have the same meaning as for a call.
    public init<Event: Sendable>(
        _ stream: PortStream<Subject, Event>,
        needsSession: Bool = false,
        operation: String?,
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
    ) {
        self.init(
            stream,
            needsSession: needsSession,
            inject: { try proxy($0).inject($1, on: operation, times: nil) },
            clear: { try await proxy($0).clearFaults(on: operation) },
            arrivals: { try proxy($0).arrivals(of: operation) }
        )
    }
}

extension CreateEvidence {
    /// What a subject's proxy does and counts for an operation that creates.
    ///
    /// - Parameters:
    ///   - operation: the name that the proxy's framing gives to the requests.
    ///   - strayFields: returns the fields that have arrived but are not in the vendor's description of the operation, which
    ///     ``TestProxy/requests(of:)`` shows.
    ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init(
        operation: String,
        strayFields: PortCall<Subject, Void, [String]>,
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
    ) {
        self.init(
            inject: { try proxy($0).inject($1, on: operation, times: $2) },
            clearFaults: { try await proxy($0).clearFaults(on: operation) },
            calls: { try proxy($0).arrivals(of: operation) },
            strayFields: strayFields
        )
    }
}

extension WriteOperation {
    /// Writes whose requests pass through a subject's proxy.
    ///
    /// - Parameters:
    ///   - prepare: prepares the vendor so that every write succeeds.
    ///   - outlast: advances the subject's clock past the deadline of the call in progress. A harness whose subject
    ///     has no clock throws `UnmetRequirements`.
    ///   - close: closes the subject for good.
    ///   - isOutcomeUnknown: whether the port's error says that the write may or may not have taken effect.
    ///   - unreachable: the error that a careless adapter throws instead.
    ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init(
        writes: [Write],
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        outlast: @escaping @Sendable (Subject) async throws -> Void,
        close: @escaping @Sendable (Subject) async -> Void,
        isOutcomeUnknown: @escaping @Sendable (any Error) -> Bool,
        unreachable: any Error,
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
    ) {
        self.init(
            writes: writes,
            prepare: prepare,
            held: HeldCalls(proxy: proxy),
            clearFaults: {
                // A write that its caller has given up must not be released to the server.
                try await proxy($0).waitForHeld(exactly: 0)
                try await proxy($0).clearFaults()
            },
            outlast: outlast,
            close: close,
            isOutcomeUnknown: isOutcomeUnknown,
            unreachable: unreachable
        )
    }
}

extension StreamOperation.Vendor {
    /// A vendor whose subscriptions pass through a subject's proxy.
    ///
    /// - Parameters:
    ///   - operation: the name that the proxy's framing gives to the request that subscribes.
    ///   - prepare: prepares the vendor: no event has occurred yet, and a user who may subscribe is signed in.
    ///   - send: makes the event with that number occur at the server.
    ///   - bytes: what the server would send at an incident: a sign of life; its last bytes when it ends a stream properly, or
    ///     none; half of an event. For one that it cannot have, throws `UnmetRequirements`. Not asked for a lost connection.
    ///   - proxy: throws `UnmetRequirements` for a subject without one, such as a fake's.
    public init(
        operation: String,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        send: @escaping @Sendable (Subject, _ number: Int) async throws -> Void,
        bytes: @escaping @Sendable (StreamIncident) throws -> [UInt8],
        proxy: @escaping @Sendable (_ of: Subject) throws -> TestProxy
    ) {
        self.init(
            prepare: prepare,
            send: send,
            waitForSubscribers: { try await proxy($0).waitForConnections(serving: operation, exactly: $1) },
            cause: { subject, incident in
                let bytes = incident == .loss ? [] : try bytes(incident)
                try await proxy(subject).simulate(incident, on: operation, sending: bytes)
            },
            inject: { try proxy($0).inject($1, on: operation) }
        )
    }
}
#endif
