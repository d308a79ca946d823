import Cofferdam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A script behind TLS: `openssl s_server` takes the cipher off. For one connection.
final class TLSScriptedServer: Sendable {
    let port: UInt16
    let authority: TestAuthority
    private let process: pid_t
    private let state = Mutex(ScriptedServer.Log())
    private let hasEnded = Gate()

    var log: ScriptedServer.Log { state.withLock { $0 } }
    var url: String { "https://127.0.0.1:\(port)" }

    /// - Parameter arguments: more for `s_server`.
    init(arguments: [String] = [], connection body: @escaping @Sendable (ServerConnection) -> Void) throws {
        authority = try TestAuthority()
        let identity = try authority.issue()
        // It tells its port only among what it writes of the connection.
        port = try ScriptedServer.unusedPort()
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerFailure(step: "socketpair") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        process = try OpenSSL.spawn(
            ["s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key", identity.key]
                + arguments,
            input: ends[1],
            output: ends[1]
        )
        var tries = 0
        while true {
            if let probe = try? ScriptedServer.connect(to: port) {
                close(probe)
                break
            }
            tries += 1
            guard tries < 5000, usleep(1000) == 0 else { throw ServerFailure(step: "openssl s_server") }
        }
        let connection = ServerConnection(ends[0]) { [weak self] change in
            guard let self else { return }
            state.withLock { change(&$0) }
        }
        let hasEnded = hasEnded
        let isStarted = startThread {
            connection.run(body)
            hasEnded.open()
        }
        if !isStarted { throw ServerFailure(step: "thread") }
    }

    deinit {
        OpenSSL.end(process)
        hasEnded.block()
    }
}
