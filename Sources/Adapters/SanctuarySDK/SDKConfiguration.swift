public import Cofferdam  // issues go where the app says
public import SanctuaryDomain  // what is opened are the domain's services

/// What the app gives to open its SDK.
public struct SDKConfiguration: Sendable {
    /// The vendor's service; nil starts the vendor's sandbox in this process.
    public var service: String?
    /// Where the SDK keeps its session; made if it does not exist.
    public var stateDirectory: String
    /// The reader's language: "en", "de".
    public var language: String
    /// Gets what the vendor said and could not be read as it stands.
    public var issues: IssueSink
    /// The process's variables; the staged build reads its stage there.
    public var environment: [String: String]

    public init(
        service: String?,
        stateDirectory: String,
        language: String,
        issues: IssueSink,
        environment: [String: String]
    ) {
        self.service = service
        self.stateDirectory = stateDirectory
        self.language = language
        self.issues = issues
        self.environment = environment
    }
}

/// An SDK that is open.
public struct OpenSDK: Sendable {
    public let services: SanctuaryServices
    private let end: @Sendable () async -> Void

    init(services: SanctuaryServices, end: @escaping @Sendable () async -> Void) {
        self.services = services
        self.end = end
    }

    /// Closes the services, and the sandbox if there is one.
    public func close() async {
        await services.close()
        await end()
    }
}
