/// What goes wrong at a port's vendor, and what the port says of it: what the rules ERR-01 to ERR-08 need to know.
///
/// An adopter says which calls can be made to go wrong, those that change something too, and holds the port's categories
/// against the vendor's faults; the rules and their mutants follow. What only HTTP has is a table of its own, for adapters that
/// declare ``CapabilityTag/http``: a vendor that speaks something else leaves it out, and names its own faults
/// (``VendorFault/own(_:)``).
public struct ErrorOperation<Subject: Sendable>: RuleFamily {
    /// The calls that are tried with each fault that they bear.
    let calls: [FaultyCall<Subject>]
    /// Streams that can be made to go wrong, for ERR-06.
    let streams: [FaultyCall<Subject>]
    /// Every status of ``ErrorOperation/statuses``, and what it is at the port; empty where no vendor speaks HTTP.
    let statusTable: [FaultExpectation]
    /// Faults of each other kind that the vendor has, and what they are at the port.
    let faultTable: [FaultExpectation]
    /// What each address without a vendor is at the port; what is left out is not judged.
    let addressTable: [DeadAddress: PortFailure]
    /// The category of what cannot be read.
    let decoding: String
    /// Reads the port's error; nil for any other.
    let read: @Sendable (any Error) -> PortFailure?
    /// Makes an error of the port of that category, for the mutants.
    let makeError: @Sendable (_ category: String) -> any Error
    /// The modules whose types an error of the port may be made of, beside `Swift`; what is of another one is the vendor's.
    let modules: Set<String>
    /// Brings the vendor to a state in which every call succeeds, and signs in where that is needed.
    let prepare: @Sendable (Subject) async throws -> Void
    /// Opens instances where no vendor is, for ERR-03.
    let opening: Opening<Subject>?
    /// What must occur in no text: passwords and tokens that have been in use, refresh tokens too, and the signatures of
    /// addresses that were handed out. Asked for when all has
    /// been said, with no fault at the vendor any more. Nil if they are unknown;
    /// ERR-06 is then not judged without the harness capability `knownSecrets`.
    let secrets: (@Sendable (Subject) async throws -> [String])?
    /// What the adapter has said beside errors: lines of logs, issues, attachments.
    let output: @Sendable (Subject) async throws -> [String]
    /// How many calls a redirection to itself may cost.
    let mostRedirects: Int

    /// The statuses that a port must have a category for; the last one is unknown.
    package static var statuses: [Int] { [400, 401, 403, 404, 409, 412, 422, 429, 500, 502, 503, 504, 999] }

    public init(
        calls: [FaultyCall<Subject>],
        streams: [FaultyCall<Subject>] = [],
        statusTable: [FaultExpectation] = [],
        faultTable: [FaultExpectation],
        addressTable: [DeadAddress: PortFailure] = [:],
        decoding: String,
        modules: Set<String>,
        mostRedirects: Int = 50,
        read: @escaping @Sendable (any Error) -> PortFailure?,
        makeError: @escaping @Sendable (_ category: String) -> any Error,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        opening: Opening<Subject>? = nil,
        secrets: (@Sendable (Subject) async throws -> [String])? = nil,
        output: @escaping @Sendable (Subject) async throws -> [String] = { _ in [] }
    ) {
        self.calls = calls
        self.streams = streams
        self.statusTable = statusTable
        self.faultTable = faultTable
        self.addressTable = addressTable
        self.decoding = decoding
        self.modules = modules
        self.mostRedirects = mostRedirects
        self.read = read
        self.makeError = makeError
        self.prepare = prepare
        self.opening = opening
        self.secrets = secrets
        self.output = output
    }
}
