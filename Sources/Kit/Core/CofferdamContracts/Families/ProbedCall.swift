/// A port's call, with the means to control and observe it at the vendor.
public struct ProbedCall<Subject: Sendable>: Sendable {
    package let call: AnyPortCall<Subject>
    /// The same operation with another input, for which the answer differs. Nil if the operation takes no input.
    let another: AnyPortCall<Subject>?
    /// Whether the call changes nothing.
    let isReading: Bool
    let repetition: Repetition
    /// Whether an adapter may make attempts one after the other, so that a second one waits while the vendor holds the
    /// first.
    let isSerial: Bool
    /// Whether concurrent callers may share one long-running call at the vendor, such as a search, which continues when
    /// one of them gives up.
    let isShared: Bool
    /// The capabilities of adapters that have the call.
    let requires: Set<CapabilityTag>
    /// Returns the part of an answer that is the same each time, even for concurrent calls: without cursors that a
    /// vendor makes anew, or the id and date of something created.
    let comparable: @Sendable (any Sendable) -> any Sendable
    /// Makes the vendor answer the next `times` calls with this fault.
    package let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    /// Returns how many calls have arrived at the vendor, including refused and faulty ones.
    package let arrivals: @Sendable (Subject) async throws -> Int
    /// Returns once this many calls have arrived.
    package let waitForArrivals: @Sendable (Subject, _ count: Int) async throws -> Void
    /// Returns the user's name for each call that arrived with a user's token; nil if the vendor's side does not know.
    let users: (@Sendable (Subject) async throws -> [String])?

    /// Whether an attempt may reach the vendor several times without taking effect several times.
    public enum Repetition: Sendable, Hashable {
        /// The call reads, or sets a state.
        case harmless
        /// The call carries a key by which the vendor recognises it, if the adapter declares this capability.
        case known(by: CapabilityTag)
        /// The call changes something each time.
        case harmful
    }

    /// Describes a call and how the harness controls it at the vendor.
    ///
    /// - Parameters:
    ///   - repetition: by default harmless if the call reads, and harmful if it does not.
    ///   - comparable: by default the whole answer.
    public init(
        _ call: AnyPortCall<Subject>,
        another: AnyPortCall<Subject>? = nil,
        isReading: Bool,
        repetition: Repetition? = nil,
        isSerial: Bool = false,
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
        self.isSerial = isSerial
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
    /// Adds a violation unless the comparable parts of two answers of one call are equal.
    mutating func expectSame<Subject>(
        _ actual: any Sendable,
        _ expected: any Sendable,
        of call: ProbedCall<Subject>,
        _ what: String? = nil
    ) {
        expectSame(call.comparable(actual), call.comparable(expected), what ?? call.name)
    }

    /// Adds a violation unless the call succeeded with the same answer.
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
