#if Sandbox
import Testing

@testable import MenagerieService

struct ServiceTests {
    @Test("A port in use, an invalid port and a public control interface are errors that say so")
    func configuration() async throws {
        try await withService { service, _ async throws in
            let port = try #require(service.url.split(separator: ":").last.flatMap { Int($0) })
            for (configuration, code) in [
                (ServiceConfiguration(port: port), ServiceError.Code.portInUse),
                (ServiceConfiguration(port: 70_000), .invalidConfiguration),
                (ServiceConfiguration(host: "0.0.0.0", control: true), .invalidConfiguration),
                (ServiceConfiguration(host: "no such host"), .cannotListen),
            ] {
                let error = await #expect(throws: ServiceError.self) { try await startService(configuration) }
                #expect(error?.code == code)
            }
        }
    }

    @Test("The control interface over HTTP resets, counts, expires tokens and moves the clock")
    func control() async throws {
        try await withService(.init(control: true)) { service, client async throws in
            let (signedIn, refreshToken) = try await client.signedIn()
            #expect(try await client.get("/control/calls").json["calls"]?["signIn"]?.integer == 1)
            #expect(try await client.post("/control/expire-tokens").status == 204)
            #expect(try await signedIn.get("/v2/account").json.errorCode == "token_expired")
            var renewed = client
            renewed.token = try await client.refresh(refreshToken).json["accessToken"]?.text
            #expect(try await client.post("/control/clock", ["advanceSeconds": .integer(1000)]).status == 200)
            #expect(try await renewed.get("/v2/account").json.errorCode == "token_expired")
            #expect(try await client.post("/control/reset", ["baseline": "empty"]).status == 204)
            #expect(try await client.get("/v1/animals").json["total"]?.integer == 0)
            #expect(try await client.post("/control/reset", ["baseline": "odd"]).json.errorCode == "validation")
            #expect(try await client.post("/control/reset").status == 204)
            #expect(service.control.animalCount == 107)
        }
    }

    @Test("Several services run beside one another, each a world of its own")
    func instances() async throws {
        try await withService { first, _ async throws in
            try await withService { second, client async throws in
                first.control.seedAnimals(3)
                #expect(first.control.animalCount == 110)
                #expect(try await client.get("/v1/animals").json["total"]?.integer == 107)
                #expect(first.url != second.url)
            }
        }
    }
}
#endif
