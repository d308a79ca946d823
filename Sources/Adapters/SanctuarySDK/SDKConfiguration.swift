#if Sandbox
public import Cofferdam  // issues go where the app says
public import SanctuaryDomain  // the domain's services

/// The app's configuration of its SDK.
public struct SDKConfiguration: Sendable {
    /// The vendor's address; nil starts the vendor's sandbox in this process.
    public var service: String?
    /// The directory in which the SDK keeps its session; created if it does not exist.
    public var stateDirectory: String
    /// The user's language: "en", "de".
    public var language: String
    /// Receives an issue for each value from the vendor that could not be translated as it is.
    public var issues: IssueSink
    /// The environment variables, from which the staged build reads its stage.
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

/// An open SDK.
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
#endif
