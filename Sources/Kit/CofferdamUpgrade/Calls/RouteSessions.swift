/// Whose calls a route makes.
struct RouteSessions: Sendable {
    /// The one session of all calls.
    // Proof: `session` keeps it, and so does the route, which outlives its calls.
    let only: Unmanaged<UnitSession>?
    /// Asked at each call: a call belongs to one session from its beginning to its end.
    private let session: @Sendable () -> UnitSession

    init(_ session: UnitSession) {
        only = .passUnretained(session)
        self.session = { session }
    }

    init(following session: @escaping @Sendable () -> UnitSession) {
        only = nil
        self.session = session
    }

    /// The session of a call that begins now.
    var current: UnitSession { session() }
}
