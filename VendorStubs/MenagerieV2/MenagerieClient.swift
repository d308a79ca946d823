/// The Menagerie platform, version 2.
///
/// Make one, `configure()` it, and call it from any task. Until it is configured there is no user, and every call throws
/// `notConfigured`.
public final actor MenagerieClient {
    /// The options it was made with.
    public nonisolated let options: MenagerieOptions
    /// Where the session is kept on this device.
    public nonisolated let sessionStore: SessionStore
    /// Images on this device.
    public nonisolated let imageCache: ImageCache
    nonisolated let links: LinkStore
    nonisolated let wire: Wire

    /// The session that was found on this device; nil until ``configure()`` has read it.
    public private(set) var session: Session?
    private var isConfigured = false
    var scan: Task<[Accessory], any Error>?

    public init(options: MenagerieOptions) {
        self.options = options
        sessionStore = SessionStore(directory: options.directory)
        imageCache = ImageCache(directory: options.directory)
        links = LinkStore(directory: options.directory)
        wire = Wire(options: options)
    }

    /// Who is signed in; nil until ``configure()`` has read the session, and when nobody is.
    public var user: Account? { session?.account }

    /// Reads the stored session. Asks nothing of the server; again, it changes nothing.
    ///
    /// - Throws: `storage` if there is a session that cannot be read; the client is usable all the same.
    public func configure() async throws(MenagerieError) {
        guard !isConfigured else { return }
        isConfigured = true
        session = try await sessionStore.load()
    }

    /// Ends every call and stream, by `transport`. Calls made afterwards fail in the same way.
    public func shutdown() async { await wire.shutdown() }

    func requireConfiguration() throws(MenagerieError) {
        guard isConfigured else { throw .notConfigured }
    }
}
