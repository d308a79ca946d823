#if Sandbox
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct FaultTests {
    @Test(
        "D20, ERR: injected statuses have the API's own errors",
        arguments: [
            (400, 400, 4000, "bad_request"), (401, 401, 4010, "unauthenticated"), (403, 401, 4013, "forbidden"),
            (404, 404, 4040, "not_found"), (409, 409, 4090, "conflict"), (422, 422, 4220, "validation"),
            (429, 429, 4290, "rate_limited"), (500, 500, 5000, "internal"), (503, 503, 5030, "unavailable"),
        ]
    )
    func statuses(status: Int, legacyStatus: Int, legacyCode: Int, code: String) async throws {
        try await withService { service, client async throws in
            service.control.inject(.status(status), on: .listAnimals, times: 2)
            let (old, new) = (try await client.get("/v1/animals"), try await client.get("/v2/animals"))
            #expect((old.status, old.json.errorCode) == (legacyStatus, .integer(legacyCode)))
            #expect((new.status, new.json.errorCode) == (status, .string(code)))
            #expect(try await client.get("/v1/animals").status == 200)
            #expect(service.control.calls(of: .listAnimals) == 3)
        }
    }

    @Test("D20: when to retry is in seconds on v1 and a date on v2")
    func retryAfter() async throws {
        try await withService { service, client async throws in
            service.control.inject(.status(429, retryAfter: .seconds(7)), on: .account, times: 2)
            #expect(try await client.get("/v1/account").headers["retry-after"] == "7")
            let body = try await client.get("/v2/account").json
            #expect(body["error"]?["retryAt"]?.text?.hasSuffix("Z") == true)
        }
    }

    @Test("Faults come after so many calls and so many times, and can be cleared")
    func schedule() async throws {
        try await withService { service, client async throws in
            service.control.inject(.status(500), on: .getAnimal, times: 2, after: 1)
            service.control.inject(.status(503), on: .getAnimal)
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await client.get("/v1/animals/1").status) }
            #expect(statuses == [200, 500, 500, 503, 200])
            service.control.inject(.status(500), on: .getAnimal, times: .max)
            #expect(try await client.get("/v1/animals/1").status == 500)
            service.control.clearFaults()
            #expect(try await client.get("/v1/animals/1").status == 200)
        }
    }

    @Test("HTML and garbage have status 200, and are not JSON")
    func nonsense() async throws {
        try await withService { service, client async throws in
            service.control.inject(.html, on: .getAnimal)
            service.control.inject(.garbage, on: .getAnimal)
            let html = try await client.get("/v1/animals/1")
            #expect(html.status == 200)
            #expect(html.headers["content-type"]?.hasPrefix("text/html") == true)
            let garbage = try await client.get("/v1/animals/1")
            #expect((garbage.status, garbage.json) == (200, .null))
        }
    }

    @Test(
        "A cut connection is an error of the client's, and only commitThenCut has done the work",
        arguments: [
            (Fault.reset, 0), (.truncated, 1), (.commitThenCut, 1),
        ]
    )
    func cuts(fault: Fault, placed: Int) async throws {
        try await withService { service, client async throws in
            let token = try await client.signedInLegacy().token
            let before = service.control.orderCount(of: "amara")
            service.control.inject(fault, on: .placeOrder)
            // A separate connection: libcurl repeats a call automatically if a used one closes without an answer.
            var fresh = ServiceClient(service)
            fresh.token = token
            let line: JSON = ["article": "straw", "quantity": .integer(1), "unit_price": .integer(1)]
            await #expect(throws: (any Error).self) { try await fresh.post("/v1/orders", ["lines": [line]]) }
            #expect(service.control.orderCount(of: "amara") == before + placed)
            #expect(service.control.calls(of: .placeOrder) == 1)
        }
    }

    @Test("A held call waits until it is released, or is dropped when the client disconnects")
    func holding() async throws {
        try await withService { service, client async throws in
            service.control.inject(.hold, on: .getAnimal, times: 2)
            async let reply = client.get("/v1/animals/1")
            await service.control.waitForHeld(exactly: 1)
            service.control.releaseHeld()
            #expect(try await reply.status == 200)
            let leaving = Task { try await ServiceClient(service).get("/v1/animals/1") }
            await service.control.waitForHeld(exactly: 1)
            leaving.cancel()
            await service.control.waitForHeld(exactly: 0)
            #expect(service.control.calls(of: .getAnimal) == 2)
        }
    }

    @Test("A held stream is open but silent")
    func heldStream() async throws {
        try await withService { service, client async throws in
            service.control.inject(.hold, on: .accessoryEvents)
            var lines = try client.lines("/v2/accessories/stream").makeAsyncIterator()
            await service.control.waitForHeld(exactly: 1)
            #expect(service.control.subscribers(of: .accessories) == 0)
            service.control.releaseHeld()
            #expect(try await lines.next() == "event: ready")
        }
    }

    @Test("A delayed call is answered properly")
    func delay() async throws {
        try await withService { service, client async throws in
            service.control.inject(.delay(.milliseconds(1)), on: .getAnimal)
            #expect(try await client.get("/v1/animals/2").json["name"]?.text == "antelope")
        }
    }

    @Test("Requests are echoed, and waiting for them ends when they come")
    func echo() async throws {
        try await withService { service, client async throws in
            async let arrival: Void = service.control.waitForCalls(of: .resolveIdentifiers, atLeast: 2)
            for _ in 0..<2 {
                _ = try await client.post("/v2/identifiers/resolve?x=1", ["ids": []], headers: ["X-Probe": "yes"])
            }
            await arrival
            let request = try #require(service.control.lastRequest(of: .resolveIdentifiers))
            #expect((request.method, request.path, request.query) == ("POST", "/v2/identifiers/resolve", "x=1"))
            #expect((request.header("x-probe"), request.text) == ("yes", "{\"ids\":[]}"))
            #expect(service.control.lastRequest(of: .revoke) == nil)
        }
    }
}
#endif
