#if Sandbox
import Testing

@testable import MenagerieService

struct TelemetryTests {
    @Test("D28: an installation that reports itself is counted once, and one without an id not at all")
    func telemetry() async throws {
        try await withService { service, client async throws in
            for device in ["d-1", "d-1", "d-2"] {
                let reply = try await client.post("/v2/telemetry", ["event": "launch", "deviceId": .string(device)])
                #expect(reply.status == 204)
                #expect(reply.body.isEmpty)
            }
            #expect(service.control.devices == ["d-1", "d-2"])
            let anonymous = try await client.post("/v2/telemetry", ["event": "launch"])
            #expect((anonymous.status, anonymous.json["error"]?["field"]) == (422, "deviceId"))
            let keyless = try await client.post("/v2/telemetry", ["deviceId": "d-3"], headers: ["X-Menagerie-Key": ""])
            #expect(keyless.status == 400)
            #expect(service.control.devices == ["d-1", "d-2"])
            #expect(service.control.calls(of: .telemetry) == 5)
        }
    }

    @Test("D28: signing in on either API reports the installation's id, too")
    func signingIn() async throws {
        try await withService { service, client async throws in
            let password: JSON = ["user": "amara", "password": "sandbox", "device_id": "d-1"]
            #expect(try await client.post("/v1/session", password).status == 200)
            let grant: JSON = [
                "grantType": "password", "user": "amara", "password": "sandbox", "deviceId": "d-2",
            ]
            #expect(try await client.post("/v2/auth/token", grant).status == 200)
            #expect(service.control.devices == ["d-1", "d-2"])
            #expect(service.control.calls(of: .telemetry) == 0)
        }
    }
}
#endif
