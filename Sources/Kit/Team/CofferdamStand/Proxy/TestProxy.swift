#if TestStand
import NIOCore
import NIOPosix

/// A TCP proxy for tests, between a vendor's SDK and the vendor's server. It counts the requests, and makes the
/// ones fail that you choose.
///
/// The SDK connects to ``port`` on 127.0.0.1 instead of the server's port.
///
/// ```swift
/// let proxy = try await TestProxy.start(to: .init(port: 6379), framing: RESPFraming())
/// proxy.apply(.cut(.afterForwarding, by: .reset), to: "INCR", times: 1)
/// ```
///
/// All waits throw ``ProxyError/closed`` when the proxy is closed, and `CancellationError` when the task is
/// cancelled.
public final class TestProxy: Sendable {
    /// The address of the vendor's server.
    public struct Upstream: Sendable, Hashable {
        /// The server's name or address.
        var host: String
        /// The server's port.
        var port: Int

        /// Creates the address of a server, by default on this machine.
        public init(host: String = "127.0.0.1", port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// The port on 127.0.0.1 on which the proxy listens.
    public let port: Int
    /// The protocol that the proxy understands.
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

    /// Starts a proxy; stop it with ``close()``.
    ///
    /// - Parameters:
    ///   - upstream: the vendor's server; without one, rules must answer all requests.
    ///   - framing: the protocol.
    ///   - clock: the clock that measures delays and pauses.
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

    /// Adds a rule: applies an action to the next requests that arrive.
    ///
    /// Each request follows the first rule that matches it, in the order in which the rules were added.
    ///
    /// - Parameters:
    ///   - operation: the operation of the requests; `nil` for all.
    ///   - times: how many requests; `nil` for all until ``clearRules(for:)``.
    public func apply(_ action: ProxyAction, to operation: String? = nil, times: Int? = 1) {
        ledger.add(action, to: operation, times: times)
    }

    /// Removes the rules for an operation, or all rules. Requests and replies that are already held stay held.
    public func clearRules(for operation: String? = nil) { ledger.clearRules(for: operation) }

    /// Releases the requests and replies of an operation, or of all, that are currently held.
    public func release(_ operation: String? = nil) async throws {
        let hub = hub
        try await loop.submit { hub.value.release(operation) }.get()
    }

    // MARK: Connections

    /// Cuts connections now, without a request: as a server cuts those that are idle, or loses its subscribers.
    ///
    /// - Returns: how many it has cut.
    @discardableResult
    public func cut(
        _ connections: ProxyConnections,
        by ending: ProxyAction.Ending = .close
    ) async throws -> Int {
        try await send([], to: connections, then: ending)
    }

    /// Sends bytes in the server's place: a sign of life, or half of an event.
    ///
    /// - Parameter ending: how the connections end then; `nil` if they stay open.
    /// - Returns: to how many connections it has sent them.
    @discardableResult
    public func send(
        _ bytes: [UInt8],
        to connections: ProxyConnections,
        then ending: ProxyAction.Ending? = nil
    ) async throws -> Int {
        let hub = hub
        return try await loop.submit { hub.value.send(bytes, to: connections, then: ending) }.get()
    }

    // MARK: Evidence

    /// How many requests of an operation, or of all, have arrived, including those that failed.
    public func arrivals(of operation: String? = nil) -> Int { ledger.counts.arrivals(of: operation) }

    /// How many requests and replies of an operation, or of all, are held. Those whose client has disconnected no
    /// longer count.
    public func held(of operation: String? = nil) -> Int { ledger.counts.held(of: operation) }

    /// How many clients are connected.
    public var openConnections: Int { ledger.counts.connections }

    /// How many clients are connected whose latest answer from the server, even if it has only begun, is to that operation:
    /// how many subscriptions are served.
    public func openConnections(serving operation: String) -> Int { ledger.counts.served[operation] ?? 0 }

    /// The first 100 failures that no rule asked for, such as requests and replies that break the protocol, or an
    /// unreachable server. Each time, the connection was cut.
    public var problems: [String] { ledger.counts.problems }

    /// The most recent requests of an operation, or of all, oldest first.
    public func requests(of operation: String? = nil) -> [ProxiedRequest] {
        ledger.requests.filter { operation == nil || $0.operation == operation }
    }

    /// Returns once at least `count` requests of an operation, or of all, have arrived.
    public func waitForArrivals(of operation: String? = nil, atLeast count: Int) async throws {
        try await ledger.wait { $0.arrivals(of: operation) >= count }
    }

    /// Returns once exactly `count` requests and replies of an operation, or of all, are held.
    public func waitForHeld(of operation: String? = nil, exactly count: Int) async throws {
        try await ledger.wait { $0.held(of: operation) == count }
    }

    /// Returns once exactly `count` clients are connected.
    public func waitForConnections(exactly count: Int) async throws {
        try await ledger.wait { $0.connections == count }
    }

    /// Returns once exactly `count` clients are connected whose latest answer is to that operation.
    public func waitForConnections(serving operation: String, exactly count: Int) async throws {
        try await ledger.wait { ($0.served[operation] ?? 0) == count }
    }

    /// Returns once there are at least `count` ``problems``.
    ///
    /// - Throws: ``ProxyError/tooManyProblems(_:limit:)`` if `count` is greater than 100.
    public func waitForProblems(atLeast count: Int) async throws {
        guard count <= ProxyLedger.maxProblems else {
            throw ProxyError.tooManyProblems(count, limit: ProxyLedger.maxProblems)
        }
        try await ledger.wait { $0.problems.count >= count }
    }
}
#endif
