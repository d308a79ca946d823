import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// One opened instance of the vendor's SDK, with what its six ports share.
final class Connection: Sendable {
    let client: MenagerieClient
    let configuration: MenagerieV2Configuration
    let credentials: CredentialSource<MenagerieV2.Session>
    let ids: AnimalIDMap
    let subscriptions: Subscriptions
    let legacyArchive: LegacyArchive
    let unsent: UnsentMessages
    /// Why the stored session could not be read; nil once somebody has signed in or out.
    let storedSessionFailure: Mutex<SanctuaryError?>
    private let isClosed = Mutex(false)

    static func open(_ configuration: MenagerieV2Configuration) async throws -> Connection {
        let client = MenagerieClient(
            options: MenagerieOptions(
                serviceURL: configuration.serviceURL,
                apiKey: configuration.key,
                directory: configuration.directory,
                language: configuration.language,
                lifecycleTelemetry: configuration.allowsTelemetry,
                clock: configuration.clock
            )
        )
        let archive = LegacyArchive(directory: configuration.directory)
        var session: MenagerieV2.Session?
        var failure: SanctuaryError?
        do {
            let legacy = LegacyState(directory: configuration.directory)
            try await client.keepInstallation(of: legacy, issues: configuration.issues)
            try await archive.hidden { try await client.configure() }
            session = await client.session
            // Nobody's: the vendor begins it, over a real one too, wherever it is asked before it is configured.
            if session?.isAnonymous == true { session = nil }
            if session == nil { session = try archive.load().map(MenagerieV2.Session.init(awaitingExchange:)) }
        } catch {
            guard let error = MenagerieV2Adapter.portError(error, now: configuration.now()) as? SanctuaryError else {
                throw error
            }
            failure = error
        }
        let connection = Connection(client, configuration, archive, session: session, failure: failure)
        if let session { await connection.handOutbox(to: session.account.id) }
        return connection
    }

    /// Makes what could not be sent yet this user's; a failure is told as an issue, and nothing is lost by it.
    func handOutbox(to user: String) async {
        do {
            try await unsent.hand(to: user)
        } catch {
            let issue = TranslationIssue("the outbox: \(portError(error))", at: "outbox", raw: user, severity: .warning)
            configuration.issues.report([issue], of: "outbox")
        }
    }

    private init(
        _ client: MenagerieClient,
        _ configuration: MenagerieV2Configuration,
        _ archive: LegacyArchive,
        session: MenagerieV2.Session?,
        failure: SanctuaryError?
    ) {
        self.client = client
        self.configuration = configuration
        ids = AnimalIDMap(journal: AnimalIDJournal(configuration))
        storedSessionFailure = Mutex(failure)
        legacyArchive = archive
        unsent = UnsentMessages(client.outbox, directory: configuration.directory)
        subscriptions = Subscriptions(executor: configuration.executor)
        credentials = .menagerieV2(
            session,
            deadline: configuration.deadline,
            clock: configuration.clock,
            executor: configuration.executor,
            refresh: { try await client.newTokens(for: $0) },
            store: client.sessionStore
        )
    }

    /// Runs one call at a port within its deadline; what it throws is a port's error.
    func perform<Value: Sendable>(
        subject: String? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            try requireOpen()
            try Task.checkCancellation()
            return try await withDeadline(configuration.deadline, clock: configuration.clock, body)
        } catch {
            throw portError(error, subject: subject)
        }
    }

    /// Runs a call that must not happen twice: lost after it was sent, it is `outcomeUnknown`.
    func performOnce<Value: Sendable>(
        subject: String? = nil,
        _ body: @escaping @Sendable (SendMark) async throws -> Value
    ) async throws -> Value {
        let mark = SendMark()
        do {
            try requireOpen()
            try Task.checkCancellation()
            return try await withDeadline(configuration.deadline, clock: configuration.clock) { try await body(mark) }
        } catch {
            throw Task.isCancelled ? CancellationError() : portError(mark.meaning(of: error), subject: subject)
        }
    }

    /// One of the steps of a call; a cancelled task asks nothing.
    func ask<Value: Sendable>(
        _ call: @Sendable (MenagerieClient) async throws -> Value
    ) async throws -> Value {
        try requireOpen()
        try Task.checkCancellation()
        return try await call(client)
    }

    /// One of the steps of a call that needs somebody to be signed in; it is asked again after a refresh.
    func askSignedIn<Value: Sendable>(
        _ call: @Sendable (MenagerieClient, _ accessToken: String) async throws -> Value
    ) async throws -> Value {
        try requireOpen()
        return try await credentials.use(isExpired: Self.isExpired) { session in
            try Task.checkCancellation()
            guard !session.awaitsExchange else {
                throw MenagerieError.unauthenticated(.tokenExpired, ServerReply(status: 401))
            }
            return try await call(client, session.accessToken)
        }
    }

    /// Tells the issues of a translation to whoever wants to know.
    func report(_ report: TranslationReport, of operation: String) {
        configuration.issues.report(report.issues, of: operation)
    }

    func portError(_ error: any Error, subject: String? = nil) -> any Error {
        // The SDK was not configured, lest it begin an installation anew.
        if case .notConfigured = error as? MenagerieError, let failure = storedSessionFailure.withLock({ $0 }) {
            return failure
        }
        return MenagerieV2Adapter.portError(error, subject: subject, now: configuration.now())
    }

    /// Tells what a subscriber who is too far behind has lost.
    func countDrops(of stream: String) -> @Sendable (Int) -> Void {
        { [configuration] in configuration.issues.report([.dropped($0)], of: stream) }
    }

    /// How a stream ends: a vendor that just stops has been lost as well.
    func endOfStream(_ error: (any Error)?) -> any Error {
        guard let error else { return SanctuaryError(.unreachable, "the vendor has ended its events") }
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
        await client.shutdown()
    }

    static func isExpired(_ error: any Error) -> Bool {
        if case .unauthenticated(.tokenExpired, _) = error as? MenagerieError { true } else { false }
    }
}
