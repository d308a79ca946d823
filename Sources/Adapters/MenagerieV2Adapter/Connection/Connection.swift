#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// An open instance of the vendor's SDK, with the state its six ports share.
final class Connection: Sendable {
    let client: MenagerieClient
    let configuration: MenagerieV2Configuration
    let credentials: CredentialSource<MenagerieV2.Session>
    private let owner: MenagerieV2Credentials
    let ids: AnimalIDMap
    let subscriptions: Subscriptions
    let legacyArchive: LegacyArchive
    let unsent: UnsentMessages
    /// The error of reading the stored session; nil once it could be read, or a user has signed in or out.
    let storedSessionFailure: Mutex<SanctuaryError?>
    /// Configures the SDK; nil once that is done.
    private let configuring: Mutex<Configuring?>
    /// Passed by one call at a time that changes the stored session, or reads it again.
    let sessionTurn = AsyncMutex()
    private let isClosed = Mutex(false)

    /// - Parameter copy: a directory to use instead, which holds no session; V1's state is only read then.
    static func open(
        _ configuration: MenagerieV2Configuration,
        rehearsingIn copy: String? = nil
    ) async throws -> Connection {
        let directory = copy ?? configuration.directory
        let client = MenagerieClient(
            options: MenagerieOptions(
                serviceURL: configuration.serviceURL,
                apiKey: configuration.key,
                directory: directory,
                language: configuration.language,
                retryBackoff: configuration.retryBackoff,
                lifecycleTelemetry: configuration.allowsTelemetry && copy == nil,
                clock: configuration.clock,
                now: { Date(timeIntervalSince1970: Double(configuration.now().millisecondsSince1970) / 1000) }
            )
        )
        let archive = LegacyArchive(directory: configuration.directory)
        let owner = configuration.credentials ?? MenagerieV2Credentials(directory: configuration.directory)
        let configure: Configuring = {
            try await client.keepInstallation(of: LegacyState(directory: directory), issues: configuration.issues)
            if copy == nil {
                try await archive.hidden { try await client.configureWithoutSession() }
            } else {
                try await client.configureWithoutSession()
            }
        }
        var isConfigured = false
        var session: MenagerieV2.Session?
        var failure: SanctuaryError?
        do {
            try await configure()
            isConfigured = true
            session = try await owner.stored()
        } catch {
            guard let error = MenagerieV2Adapter.portError(error, now: configuration.now()) as? SanctuaryError else {
                throw error
            }
            failure = error
        }
        let connection = await Connection(
            client,
            configuration,
            directory: directory,
            archive,
            owner,
            session: session,
            failure: failure,
            configuring: isConfigured ? nil : configure
        )
        if let session, copy == nil { await connection.takeUnsent(of: session.account.id) }
        return connection
    }

    /// Assigns the unsent messages to this user. If this is cancelled, the first message sent does it.
    func takeUnsent(of user: String) async {
        do { try await prepareUnsent(of: user)() } catch {}
    }

    /// Assigns the unsent messages to this user before a message is sent.
    ///
    /// - Returns: a closure to call when the message has been sent.
    /// - Throws: `CancellationError`.
    func prepareUnsent(of user: String) async throws -> @Sendable () -> Void {
        try await configuration.beforeSending { [unsent] mayTakeOver in
            await unsent.prepare(for: user, takingOver: mayTakeOver)
        }
    }

    private init(
        _ client: MenagerieClient,
        _ configuration: MenagerieV2Configuration,
        directory: String,
        _ archive: LegacyArchive,
        _ owner: MenagerieV2Credentials,
        session: MenagerieV2.Session?,
        failure: SanctuaryError?,
        configuring: Configuring?
    ) async {
        self.client = client
        self.configuration = configuration
        self.owner = owner
        ids = AnimalIDMap(
            journal: AnimalIDJournal(in: directory, of: configuration.serviceURL, issues: configuration.issues),
            isKept: directory == configuration.directory
        )
        storedSessionFailure = Mutex(failure)
        self.configuring = Mutex(configuring)
        legacyArchive = archive
        unsent = UnsentMessages(client.outbox, directory: directory, issues: configuration.issues)
        subscriptions = Subscriptions(executor: configuration.executor)
        credentials = await owner.join(client, with: session, configuration)
    }

    private typealias Configuring = @Sendable () async throws -> Void

    /// Repeats what failed when the SDK was opened: a file that is locked until the device's first unlock can be read
    /// after it. Until the SDK is configured, a call would start a new installation.
    ///
    /// - Throws: an error that names the file, if the SDK cannot be configured.
    func finishOpening() async throws {
        let isOpen = configuring.withLock { $0 == nil } && storedSessionFailure.withLock { $0 == nil }
        guard !isOpen else { return }
        try await sessionTurn.run {
            if let configure = configuring.withLock({ $0 }) {
                try await configure()
                configuring.withLock { $0 = nil }
            }
            guard storedSessionFailure.withLock({ $0 }) != nil else { return }
            do {
                if let session = try await owner.stored() { await owner.restore(session) }
                storedSessionFailure.withLock { $0 = nil }
            } catch {
                // It is the error of `accounts.state()`, not of this call.
                if let error = portError(error) as? SanctuaryError { storedSessionFailure.withLock { $0 = error } }
            }
        }
    }

    /// Runs one call of a port within its deadline, and converts its error.
    ///
    /// - Parameter needsSDK: false for a call that can be made although the SDK is not configured.
    func perform<Value: Sendable>(
        subject: String? = nil,
        needsSDK: Bool = true,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            try requireOpen()
            try Task.checkCancellation()
            if needsSDK { try await finishOpening() }
            return try await withDeadline(configuration.deadline, clock: configuration.clock, body)
        } catch {
            throw portError(error, subject: subject)
        }
    }

    /// Runs a call that must not happen twice: if it is lost after being sent, the error is `outcomeUnknown`.
    func performOnce<Value: Sendable>(
        subject: String? = nil,
        _ body: @escaping @Sendable (SendMark) async throws -> Value
    ) async throws -> Value {
        let mark = SendMark()
        do {
            try requireOpen()
            try Task.checkCancellation()
            try await finishOpening()
            return try await withDeadline(configuration.deadline, clock: configuration.clock) { try await body(mark) }
        } catch {
            throw Task.isCancelled ? CancellationError() : portError(mark.meaning(of: error), subject: subject)
        }
    }

    /// Runs one step of a call; a cancelled task makes no request.
    func ask<Value: Sendable>(
        _ call: @Sendable (MenagerieClient) async throws -> Value
    ) async throws -> Value {
        try requireOpen()
        try Task.checkCancellation()
        return try await call(client)
    }

    /// Runs one step of a call that requires a signed-in user, and repeats it after a token refresh.
    ///
    /// - Parameter user: the user who began the call; nil for the one signed in now. The call is made for no other
    ///   user.
    func askSignedIn<Value: Sendable>(
        as user: String? = nil,
        _ call: @Sendable (MenagerieClient, _ accessToken: String) async throws -> Value
    ) async throws -> Value {
        try requireOpen()
        return try await credentials.use(isExpired: Self.isExpired) { session in
            try Task.checkCancellation()
            guard user == nil || session.account.id == user else {
                throw SanctuaryError(.authenticationRequired, "another user has signed in")
            }
            guard !session.awaitsExchange else {
                throw MenagerieError.unauthenticated(.tokenExpired, ServerReply(status: 401))
            }
            return try await call(client, session.accessToken)
        }
    }

    /// Reports the issues of a translation.
    func report(_ report: TranslationReport, of operation: String) {
        configuration.issues.report(report.issues, of: operation)
    }

    func portError(_ error: any Error, subject: String? = nil) -> any Error {
        MenagerieV2Adapter.portError(error, subject: subject, now: configuration.now())
    }

    /// Reports events dropped for a subscriber that is too far behind.
    func countDrops(of stream: String) -> @Sendable (Int) -> Void {
        { [configuration] in configuration.issues.report([.dropped($0)], of: stream) }
    }

    /// Returns the error that ends a stream: a vendor that just stops counts as lost too.
    func endOfStream(_ error: (any Error)?) -> any Error {
        guard let error else { return SanctuaryError(.unreachable, "the vendor ended its event stream") }
        return portError(error)
    }

    func requireOpen() throws(SanctuaryError) {
        if isClosed.withLock({ $0 }) { throw .servicesClosed }
    }

    func close() async {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        subscriptions.close()
        owner.leave(client)
        await client.shutdown()
    }

    static func isExpired(_ error: any Error) -> Bool {
        if case .unauthenticated(.tokenExpired, _) = error as? MenagerieError { true } else { false }
    }
}
#endif
