#if Sandbox
/// The Menagerie platform, version 2.
///
/// Create one, `configure()` it, and call it from any task. Until it is configured there is no user, and every call
/// throws `notConfigured`.
public final actor MenagerieClient {
    /// The options of the client.
    public nonisolated let options: MenagerieOptions
    /// The store of the session on this device.
    public nonisolated let sessionStore: SessionStore
    /// The store of the installation's id.
    public nonisolated let deviceStore: DeviceStore
    /// Messages that could not be sent yet.
    public nonisolated let outbox: Outbox
    /// Images on this device.
    public nonisolated let imageCache: ImageCache
    nonisolated let links: LinkStore
    nonisolated let wire: Wire
    nonisolated let echoes = LocalEchoes()

    /// The session found on this device; nil until ``configure()`` has read it.
    public private(set) var session: Session?
    private var isConfigured = false
    var scan: Task<[Accessory], any Error>?

    public init(options: MenagerieOptions) {
        self.options = options
        sessionStore = SessionStore(directory: options.directory)
        deviceStore = DeviceStore(directory: options.directory)
        outbox = Outbox(directory: options.directory)
        imageCache = ImageCache(directory: options.directory)
        links = LinkStore(directory: options.directory)
        wire = Wire(options: options)
    }

    /// The signed-in user; nil until ``configure()`` has read the session, and if no user is signed in. Anonymous users
    /// count as users.
    public var user: Account? { session?.account }

    /// Returns the session. There is always one: if no user is signed in, an anonymous session is created and stored
    /// like any other.
    public func currentSession() async throws(MenagerieError) -> Session {
        if let session { return session }
        let anonymous = Session.anonymous()
        session = anonymous
        try await sessionStore.save(anonymous)
        return anonymous
    }

    /// Reads the stored session; if there is none, that of version 1 is taken over. Calling it again has no effect.
    ///
    /// - Throws: `storage` if there is a session that cannot be read; the client is usable nevertheless.
    public func configure() async throws(MenagerieError) {
        guard !isConfigured else { return }
        isConfigured = true
        if options.lifecycleTelemetry { Task { await reportLaunch() } }
        session = try await sessionStore.load()
        if session == nil { session = await migratedSession() }
    }

    /// Returns the session of version 1, and moves it.
    private func migratedSession() async -> Session? {
        guard let legacy = await LegacySession.load(from: options.directory) else {
            await LegacySession.delete(from: options.directory)
            return nil
        }
        guard let grant = try? await exchange(legacyToken: legacy.token) else { return nil }
        let session = Session(
            accessToken: grant.accessToken,
            refreshToken: grant.refreshToken,
            account: grant.account
        )
        try? await sessionStore.save(session)
        await LegacySession.delete(from: options.directory)
        return session
    }

    /// Revokes the session, and removes the user's data from this device.
    ///
    /// - Throws: `notSignedIn` if no user is signed in.
    public func signOut() async throws(MenagerieError) {
        try requireConfiguration()
        guard let ended = try await sessionStore.load() else { throw .notSignedIn }
        session = nil
        try await outbox.removeAll()
        try await deviceStore.delete()
        try await sessionStore.delete()
        try await revoke(refreshToken: ended.refreshToken)
    }

    /// Ends every call and stream with `transport`. Later calls fail in the same way.
    public func shutdown() async { await wire.shutdown() }

    func requireConfiguration() throws(MenagerieError) {
        guard isConfigured else { throw .notConfigured }
    }

    private nonisolated func reportLaunch() async {
        // A lost report does not matter.
        guard let device = try? await deviceStore.current(),
            let request = try? WireRequest.post("telemetry").json(["event": "launch", "deviceId": device])
        else { return }
        _ = try? await wire.bytes(of: request)
    }
}
#endif
