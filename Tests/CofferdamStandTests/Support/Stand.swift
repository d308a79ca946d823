#if TestStand
import CofferdamStand
import CofferdamTesting

/// Runs `body` with a server, a proxy in front of it and a client of the proxy. Closes all of them, and checks that
/// nothing stays open.
func withStand<Result>(
    _ server: TinyServer,
    _ framing: any Framing = LineFraming(),
    limits: ProxyLimits = .defaults,
    clock: any Clock<Duration> = TestClock(),
    _ body: (TestProxy, TinyClient) async throws -> Result
) async throws -> Result {
    let proxy = try await TestProxy.start(to: server.upstream, framing: framing, limits: limits, clock: clock)
    let client = try await TinyClient(port: proxy.port)
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(proxy, client)) } catch { result = .failure(error) }
    await proxy.close()
    // Returns only if the proxy has closed all its connections to the server.
    try await server.close()
    return try result.get()
}
#endif
