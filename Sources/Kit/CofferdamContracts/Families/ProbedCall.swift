/// A call of a port, with what the vendor behind it can be told and asked about it.
public struct ProbedCall<Subject: Sendable>: Sendable {
    public let call: AnyPortCall<Subject>
    /// Whether it only reads: it may be made several times, also at once, and gives the same each time.
    public let isReading: Bool
    /// The vendor answers the next so many calls so.
    public let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    /// How many calls have arrived at the vendor, refused and faulty ones too.
    public let arrivals: @Sendable (Subject) async throws -> Int
    /// Returns once so many have arrived.
    public let waitForArrivals: @Sendable (Subject, _ count: Int) async throws -> Void

    public init(
        _ call: AnyPortCall<Subject>,
        isReading: Bool,
        inject: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int,
        waitForArrivals: @escaping @Sendable (Subject, _ count: Int) async throws -> Void
    ) {
        self.call = call
        self.isReading = isReading
        self.inject = inject
        self.arrivals = arrivals
        self.waitForArrivals = waitForArrivals
    }

    public var name: String { call.name }
}
