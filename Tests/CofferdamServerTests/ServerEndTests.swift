#if Server
import Testing
@testable import CofferdamServer

@Suite("The end of a server") struct ServerEndTests {
    @Test func `an interruption stops the server, which is no failure`() async throws {
        try await TestServer.with { server in
            let plane = try server.plane
            let (interruptions, pen) = AsyncStream.makeStream(of: Void.self)
            let running = Task { try await plane.run { for await _ in interruptions { break } } }
            pen.yield()
            try await running.value
            await #expect(throws: (any Error).self) { try await server.get("/healthz") }
        }
    }

    @Test func `a server that ends without one is noticed, and its database is free`() async throws {
        try await TestServer.with { server in
            let plane = try server.plane
            let (interruptions, pen) = AsyncStream.makeStream(of: Void.self)
            let running = Task { try await plane.run { for await _ in interruptions { break } } }
            // As if it had ended by itself: nothing has interrupted the run.
            await plane.stop()
            let error = await #expect(throws: ControlPlaneError.self) { try await running.value }
            #expect(error?.code == .ended)
            try FileOwnership(of: server.folder + "/upgrades.sqlite").release()
            withExtendedLifetime(pen) {}
        }
    }
}
#endif
