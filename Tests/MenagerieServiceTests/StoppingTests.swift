#if Sandbox
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct StoppingTests {
    @Test("Stopping cuts held calls, long polls and streams: none of them gets an answer or an end")
    func cutting() async throws {
        let service = try await startService()
        let client = ServiceClient(service)
        service.control.inject(.hold, on: .getAnimal)
        let held = Task { try await client.get("/v1/animals/1") }
        let poll = Task { try await client.get("/v1/accessories/poll?after=0") }
        let lines = try client.lines("/v2/accessories/stream")
        await service.control.waitForSubscribers(of: .accessories, exactly: 2)
        await service.control.waitForHeld(exactly: 1)
        let start = ContinuousClock.now
        await service.stop()
        // It stops by itself, before the shutdown's last resort after ten seconds.
        #expect(.now - start < .seconds(5))
        await #expect(throws: (any Error).self) { try await held.value }
        await #expect(throws: (any Error).self) { try await poll.value }
        await #expect(throws: (any Error).self) { for try await _ in lines {} }
        #expect((service.control.held, service.control.subscribers(of: .accessories)) == (0, 0))
        await service.stop()
    }

    @Test("A stopped service's port is free at once")
    func port() async throws {
        let service = try await startService()
        #expect(try await ServiceClient(service).get("/v1/animals/1").status == 200)
        let port = try #require(service.url.split(separator: ":").last.flatMap { Int($0) })
        await service.stop()
        try await withService(.init(port: port)) { _, client async throws in
            #expect(try await client.get("/v1/animals/1").status == 200)
        }
    }

    @Test("A service stops promptly, whatever its clients do, again and again")
    func promptly() async throws {
        for round in 0..<40 {
            let service = try await startService()
            let client = ServiceClient(service)
            // One idle connection, one streaming, one waiting and one held.
            #expect(try await client.get("/v1/animals/1").status == 200)
            service.control.inject(.hold, on: .getAnimal)
            let waiting = ["/v2/accessories/stream", "/v1/accessories/poll?after=0", "/v1/animals/2"].map { address in
                Task { try await ServiceClient(service).drain(address) }
            }
            await service.control.waitForSubscribers(of: .accessories, exactly: 2)
            await service.control.waitForHeld(exactly: 1)
            // And some that are just being opened, each time at a different moment.
            let coming = (0..<4).map { _ in Task { try await ServiceClient(service).keepConnecting() } }
            await service.control.waitForCalls(of: .listAccessories, atLeast: round % 8)
            let start = ContinuousClock.now
            await service.stop()
            // It stops by itself, before the shutdown's last resort after ten seconds.
            #expect(.now - start < .seconds(5))
            for task in waiting + coming { await #expect(throws: (any Error).self) { try await task.value } }
        }
    }
}

extension ServiceClient {
    /// Reads to the end, which may be an error.
    fileprivate func drain(_ address: String) async throws {
        for try await _ in try lines(address) {}
    }

    /// Connects again and again, until that fails.
    fileprivate func keepConnecting() async throws {
        while true { _ = try await get("/v1/accessories", headers: ["Connection": "close"]) }
    }
}
#endif
