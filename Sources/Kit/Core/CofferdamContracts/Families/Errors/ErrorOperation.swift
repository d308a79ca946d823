/// The faults of a port's vendor and the port's errors for them, described for the rules ERR-01 to ERR-08.
///
/// List the calls that can be made to go wrong, including those that change something, and the port's category for each
/// of the vendor's faults; the rules and their mutants follow from that. HTTP statuses have a separate table, for
/// adapters that declare ``CapabilityTag/http``. If the vendor speaks something else, leave it empty and name the
/// vendor's own faults (``VendorFault/vendorSpecific(_:)``).
public struct ErrorOperation<Subject: Sendable>: RuleFamily {
    let calls: [FaultyCall<Subject>]
    let streams: [FaultyCall<Subject>]
    let statusTable: [FaultExpectation]
    let faultTable: [FaultExpectation]
    let addressTable: [DeadAddress: PortFailure]
    let decoding: String
    let read: @Sendable (any Error) -> PortFailure?
    let makeError: @Sendable (_ category: String) -> any Error
    let modules: Set<String>
    let prepare: @Sendable (Subject) async throws -> Void
    let opening: Opening<Subject>?
    let secrets: (@Sendable (Subject) async throws -> [String])?
    let output: @Sendable (Subject) async throws -> [String]
    let maxRedirects: Int

    /// The statuses for which a port must have a category; the last one is not a known status.
    public static var statuses: [Int] { [400, 401, 403, 404, 409, 412, 422, 429, 500, 502, 503, 504, 999] }

    /// Describes the errors that a port promises, fault by fault.
    ///
    /// - Parameters:
    ///   - calls: the calls to try with each fault that applies to them.
    ///   - streams: streams that can be made to fail, for ERR-06.
    ///   - statusTable: how each of ``ErrorOperation/statuses`` appears at the port; empty if the vendor does not
    ///     speak HTTP.
    ///   - faultTable: how faults of every other kind appear at the port.
    ///   - addressTable: how an address without a vendor appears at the port; addresses that are left out are not
    ///     judged.
    ///   - decoding: the category of an answer that cannot be decoded.
    ///   - modules: the modules, besides `Swift`, whose types a port's error may contain; types of any other module
    ///     count as the vendor's.
    ///   - maxRedirects: how many calls a redirection to the same address may cause.
    ///   - read: reads the port's error; returns nil for any other.
    ///   - makeError: makes a port error of that category, for the mutants.
    ///   - prepare: prepares the vendor so that every call succeeds, and signs in where needed.
    ///   - opening: opens instances at addresses without a vendor, for ERR-03.
    ///   - secrets: returns the passwords, access and refresh tokens, and signatures of URLs that no text may contain.
    ///     The rule calls it after its last call, with no faults left at the vendor. Nil if they are unknown: ERR-06
    ///     then requires the harness capability `knownSecrets`.
    ///   - output: returns the adapter's other output: log lines, issues, attachments.
    public init(
        calls: [FaultyCall<Subject>],
        streams: [FaultyCall<Subject>] = [],
        statusTable: [FaultExpectation] = [],
        faultTable: [FaultExpectation],
        addressTable: [DeadAddress: PortFailure] = [:],
        decoding: String,
        modules: Set<String>,
        maxRedirects: Int = 50,
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
        self.maxRedirects = maxRedirects
        self.read = read
        self.makeError = makeError
        self.prepare = prepare
        self.opening = opening
        self.secrets = secrets
        self.output = output
    }
}
