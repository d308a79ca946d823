/// A call of a port, with what the vendor behind it can be told and asked about it.
public struct ProbedCall<Subject: Sendable>: Sendable {
    package let call: AnyPortCall<Subject>
    /// The same operation, asked for something else, to which the answer is another. Nil: it is asked for nothing.
    let another: AnyPortCall<Subject>?
    /// Whether it changes nothing.
    let isReading: Bool
    let repetition: Repetition
    /// Whether an adapter may make one attempt after the other, so that a second one waits while the vendor holds the first.
    let isOneByOne: Bool
    /// Whether all who call at once may share one long-running call at the vendor, which goes on when one of them gives up: a
    /// search.
    let isShared: Bool
    /// What an adapter declares that has it.
    let requires: Set<CapabilityTag>
    /// What of an answer is the same each time, also where the call is made several times at once: not the cursors that a
    /// vendor makes anew, nor the id and the moment of what is created.
    let comparable: @Sendable (any Sendable) -> any Sendable
    /// The vendor answers the next so many calls so.
    package let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    /// How many calls have arrived at the vendor, refused and faulty ones too.
    package let arrivals: @Sendable (Subject) async throws -> Int
    /// Returns once so many have arrived.
    package let waitForArrivals: @Sendable (Subject, _ count: Int) async throws -> Void
    /// As whom each call has arrived that bore a user's token, by the user's name; nil where the vendor's side does not tell.
    let users: (@Sendable (Subject) async throws -> [String])?

    /// When an attempt may reach the vendor several times without being done several times.
    public enum Repetition: Sendable, Hashable {
        /// It reads, or sets a state.
        case harmless
        /// It bears a key, by which the vendor knows it again where the adapter declares this.
        case known(by: CapabilityTag)
        /// It changes something each time.
        case harmful
    }

    /// - Parameters:
    ///   - repetition: by default harmless for what reads, and harmful for what does not.
    ///   - comparable: by default all of the answer.
    public init(
        _ call: AnyPortCall<Subject>,
        another: AnyPortCall<Subject>? = nil,
        isReading: Bool,
        repetition: Repetition? = nil,
        isOneByOne: Bool = false,
        isShared: Bool = false,
        requires: Set<CapabilityTag> = [],
        comparable: @escaping @Sendable (any Sendable) -> any Sendable = { $0 },
        inject: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int,
        waitForArrivals: @escaping @Sendable (Subject, _ count: Int) async throws -> Void,
        users: (@Sendable (Subject) async throws -> [String])? = nil
    ) {
        self.call = call
        self.another = another
        self.isReading = isReading
        self.repetition = repetition ?? (isReading ? .harmless : .harmful)
        self.isOneByOne = isOneByOne
        self.isShared = isShared
        self.requires = requires
        self.comparable = comparable
        self.inject = inject
        self.arrivals = arrivals
        self.waitForArrivals = waitForArrivals
        self.users = users
    }

    /// The call's name in findings.
    public var name: String { call.name }
}

extension Findings {
    /// Two answers of one call are the same, as far as they are so each time.
    mutating func expectSame<Subject>(
        _ actual: any Sendable,
        _ expected: any Sendable,
        of call: ProbedCall<Subject>,
        _ what: String? = nil
    ) {
        expectSame(call.comparable(actual), call.comparable(expected), what ?? call.name)
    }

    /// The call has an answer, and that is the same.
    mutating func expectSame<Subject>(
        _ actual: Result<any Sendable, any Error>,
        _ expected: any Sendable,
        of call: ProbedCall<Subject>,
        _ what: String
    ) {
        switch actual {
        case .success(let answer): expectSame(answer, expected, of: call, what)
        case .failure(let error): add("\(what): expected an answer, got \(error)")
        }
    }
}
