#if TestStand
    import NIOCore
    import NIOPosix

    /// A TCP proxy for tests: it stands between a vendor's SDK and the vendor's server, counts what arrives, and makes go wrong
    /// what you tell it to.
    ///
    /// The SDK connects to ``port`` on 127.0.0.1 instead of the server's port.
    ///
    /// ```swift
    /// let proxy = try await TestProxy.start(to: .init(port: 6379), framing: RESPFraming())
    /// proxy.apply(.cut(.afterForwarding, by: .reset), to: "INCR", times: 1)
    /// ```
    ///
    /// All waiting ends when the proxy is closed, by ``ProxyError/closed``, and when the task is cancelled.
    public final class TestProxy: Sendable {
        /// Where the vendor's server listens.
        public struct Upstream: Sendable, Hashable {
            /// The server's name or address.
            public var host: String
            /// The server's port.
            public var port: Int

            /// Names a server, by default on this machine.
            public init(host: String = "127.0.0.1", port: Int) {
                self.host = host
                self.port = port
            }
        }

        /// Where the proxy listens, on 127.0.0.1.
        public let port: Int
        /// The protocol that it understands.
        public let framing: any Framing

        private let ledger: ProxyLedger
        private let loop: any EventLoop
        private let hub: NIOLoopBound<ProxyHub>

        private init(
            port: Int,
            framing: any Framing,
            ledger: ProxyLedger,
            hub: NIOLoopBound<ProxyHub>,
            loop: any EventLoop
        ) {
            self.port = port
            self.framing = framing
            self.ledger = ledger
            self.hub = hub
            self.loop = loop
        }

        // MARK: Life

        /// Starts a proxy; end it by ``close()``.
        ///
        /// - Parameters:
        ///   - upstream: the vendor's server; without one, rules must answer all requests.
        ///   - framing: the protocol.
        ///   - clock: by which delays and pauses are measured.
        /// - Throws: if no port can be listened on.
        public static func start(
            to upstream: Upstream?,
            framing: any Framing,
            limits: ProxyLimits = .defaults,
            clock: any Clock<Duration> = ContinuousClock()
        ) async throws -> TestProxy {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let ledger = ProxyLedger(limits: limits)
            let setup = ProxySetup(upstream: upstream, framing: framing, ledger: ledger, clock: clock)
            let hub = try await loop.submit { NIOLoopBound(ProxyHub(loop: loop, setup: setup), eventLoop: loop) }.get()
            let port = try await loop.flatSubmit { hub.value.listen() }.get()
            return TestProxy(port: port, framing: framing, ledger: ledger, hub: hub, loop: loop)
        }

        /// Runs `body` with a proxy, and closes it afterwards.
        public static func withProxy<Result>(
            to upstream: Upstream?,
            framing: any Framing,
            limits: ProxyLimits = .defaults,
            clock: any Clock<Duration> = ContinuousClock(),
            _ body: (TestProxy) async throws -> Result
        ) async throws -> Result {
            let proxy = try await start(to: upstream, framing: framing, limits: limits, clock: clock)
            do {
                let result = try await body(proxy)
                await proxy.close()
                return result
            } catch {
                await proxy.close()
                throw error
            }
        }

        /// Ends all connections, and returns when none is open and the port is free. A second call waits for the first.
        public func close() async {
            ledger.close()
            let hub = hub
            // It never fails.
            try? await loop.flatSubmit { hub.value.close() }.get()
        }

        // MARK: Rules

        /// Does this with the next requests that arrive.
        ///
        /// A request follows the first rule that fits it, in the order in which they were made.
        ///
        /// - Parameters:
        ///   - operation: the requests' operation; `nil` for all.
        ///   - times: how many requests; `nil` for all until ``clearRules(for:)``.
        public func apply(_ action: ProxyAction, to operation: String? = nil, times: Int? = 1) {
            ledger.add(action, to: operation, times: times)
        }

        /// Forgets the rules for an operation, or all rules. What is held already stays so.
        public func clearRules(for operation: String? = nil) { ledger.clearRules(for: operation) }

        /// Lets go of the requests and replies of an operation, or of all, that are held now.
        public func release(_ operation: String? = nil) async throws {
            let hub = hub
            try await loop.submit { hub.value.release(operation) }.get()
        }

        // MARK: Evidence

        /// How many requests of an operation, or of all, have arrived, those that went wrong included.
        public func arrivals(of operation: String? = nil) -> Int { ledger.counts.arrivals(of: operation) }

        /// How many requests and replies of an operation, or of all, are held. One whose client has gone is held no more.
        public func held(of operation: String? = nil) -> Int { ledger.counts.held(of: operation) }

        /// How many clients are connected.
        public var openConnections: Int { ledger.counts.connections }

        /// What went wrong without a rule: requests and replies that break the protocol, a server that cannot be reached. The
        /// connection was cut each time.
        public var problems: [String] { ledger.counts.problems }

        /// The last requests of an operation, or of all, the oldest first.
        public func requests(of operation: String? = nil) -> [ProxiedRequest] {
            ledger.requests.filter { operation == nil || $0.operation == operation }
        }

        /// Returns once so many requests of an operation, or of all, have arrived.
        public func waitForArrivals(of operation: String? = nil, atLeast count: Int) async throws {
            try await ledger.wait { $0.arrivals(of: operation) >= count }
        }

        /// Returns once exactly so many requests and replies of an operation, or of all, are held.
        public func waitForHeld(of operation: String? = nil, exactly count: Int) async throws {
            try await ledger.wait { $0.held(of: operation) == count }
        }

        /// Returns once exactly so many clients are connected.
        public func waitForConnections(exactly count: Int) async throws {
            try await ledger.wait { $0.connections == count }
        }

        /// Returns once so many ``problems`` are known.
        public func waitForProblems(atLeast count: Int) async throws {
            try await ledger.wait { $0.problems.count >= count }
        }
    }
#endif
