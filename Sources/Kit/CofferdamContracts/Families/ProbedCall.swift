/// A call of a port, with what the vendor behind it can be told and asked about it.
public struct ProbedCall<Subject: Sendable>: Sendable {
    public let call: AnyPortCall<Subject>
    /// Whether it changes nothing.
    public let isReading: Bool
    /// Whether it gives the same each time, also where it is made several times at once.
    public let isSteady: Bool
    /// The vendor answers the next so many calls so.
    public let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    /// How many calls have arrived at the vendor, refused and faulty ones too.
    public let arrivals: @Sendable (Subject) async throws -> Int
    /// Returns once so many have arrived.
    public let waitForArrivals: @Sendable (Subject, _ count: Int) async throws -> Void

    /// - Parameter isSteady: by default what only reads. A list is not, where the vendor's cursors are others each time.
    public init(
        _ call: AnyPortCall<Subject>,
        isReading: Bool,
        isSteady: Bool? = nil,
        inject: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
        arrivals: @escaping @Sendable (Subject) async throws -> Int,
        waitForArrivals: @escaping @Sendable (Subject, _ count: Int) async throws -> Void
    ) {
        self.call = call
        self.isReading = isReading
        self.isSteady = isSteady ?? isReading
        self.inject = inject
        self.arrivals = arrivals
        self.waitForArrivals = waitForArrivals
    }

    public var name: String { call.name }
}
