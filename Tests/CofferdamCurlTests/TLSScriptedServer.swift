#if os(Linux)
    import Cofferdam
    import CofferdamCurl

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A script behind TLS: `openssl s_server` removes the encryption. One connection at a time.
    final class TLSScriptedServer: Sendable {
        let authority: TestAuthority
        let port: UInt16
        private let process: pid_t
        private let state = Mutex(ScriptedServer.Log())
        private let hasEnded = Gate()

        var log: ScriptedServer.Log { state.withLock { $0 } }
        var url: String { "https://127.0.0.1:\(port)" }

        var configuration: CurlConfiguration { .defaults { $0.tls.authorities = .file(authority.certificate) } }

        /// - Parameter arguments: additional arguments for `s_server`.
        init(arguments: [String] = [], connection body: @escaping @Sendable (ServerConnection) -> Void) throws {
            authority = try TestAuthority()
            let identity = try authority.issue()
            var ends: [Int32] = [-1, -1]
            #if canImport(Glibc)
                let kind = Int32(SOCK_STREAM.rawValue)
            #else
                let kind = SOCK_STREAM
            #endif
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerFailure(step: "socketpair") }
            defer { close(ends[1]) }
            process = try OpenSSL.spawn(
                ["s_server", "-quiet", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key", identity.key]
                    + arguments,
                input: ends[1],
                output: ends[1]
            )
            // In quiet mode it does not print its port.
            var port: UInt16?
            for _ in 0..<1000 where port == nil {
                port = ProcessCensus.listeningPort(of: process)
                if port == nil { usleep(5000) }
            }
            guard let port else {
                OpenSSL.end(process)
                close(ends[0])
                throw ServerFailure(step: "openssl s_server")
            }
            self.port = port
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
#endif
