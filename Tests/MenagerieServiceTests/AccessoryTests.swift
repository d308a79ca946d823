#if Sandbox
import Testing

@testable import MenagerieService

struct AccessoryTests {
    @Test("D11, D12: on v1, connecting replaces the active one silently, and is a no-op if it is active")
    func legacy() async throws {
        try await withService { _, client async throws in
            func states() async throws -> [String] {
                let list = try await client.get("/v1/accessories").json["accessories"]?.elements ?? []
                return list.compactMap { accessory in
                    guard accessory["connected"] == .bool(true), let id = accessory["id"]?.text else { return nil }
                    return id + (accessory["active"] == .bool(true) ? " active" : "")
                }
            }
            #expect(try await states() == ["collar-1 active", "feeder-1"])
            let first = try await client.post("/v1/accessories/camera-1/connect").json
            #expect(first["active"] == .bool(true))
            #expect(try await client.post("/v1/accessories/camera-1/connect").json == first)
            #expect(try await states() == ["camera-1 active", "collar-1", "feeder-1"])
            for _ in 0..<2 { #expect(try await client.post("/v1/accessories/camera-1/disconnect").status == 200) }
            #expect(try await states() == ["collar-1", "feeder-1"])
            #expect(try await client.get("/v1/accessories/poll?after=0").json["next"]?.integer == 3)
        }
    }

    @Test("D11, D12: on v2, linking twice and activating beside an active one are conflicts")
    func modern() async throws {
        try await withService { _, client async throws in
            func post(_ address: String) async throws -> String? {
                let reply = try await client.post("/v2/accessories/\(address)").json
                return reply.errorCode?.text ?? reply["state"]?.text
            }
            let steps = [
                ("camera-1/activate", "validation"),
                ("camera-1/link", "linked"),
                ("camera-1/link", "already_linked"),
                ("camera-1/activate", "another_active"),
                ("collar-1/deactivate", "linked"),
                ("collar-1/deactivate", "linked"),
                ("camera-1/activate", "active"),
                ("camera-1/activate", "active"),
                ("camera-1/unlink", "available"),
                ("camera-1/unlink", "available"),
                ("nothing/link", "not_found"),
            ]
            for (address, outcome) in steps {
                let answer = try await post(address)
                #expect(answer == outcome, "\(address)")
            }
        }
    }

    @Test("D14: battery and time, each in its API's unit")
    func units() async throws {
        try await withService { service, client async throws in
            for (battery, fraction) in [(0, 0), (1, 0.01), (57, 0.57), (100, 1.0)] {
                try service.control.updateAccessory("scale-1", battery: battery)
                let old = try await client.get("/v1/accessories").json["accessories"]?.elements.last
                let new = try await client.get("/v2/accessories").json["items"]?.elements.last
                #expect(old?["battery"]?.number == fraction)
                #expect(new?["battery"] == .integer(battery))
                let seconds = try #require(old?["last_seen"]?.number)
                #expect(Int((seconds * 1000).rounded()) + 978_307_200_000 == new?["lastSeenAt"]?.integer)
            }
        }
    }

    @Test("D13: a lost link is not linked on v1, and reconnecting on v2")
    func reconnecting() async throws {
        try await withService { service, client async throws in
            try service.control.updateAccessory("collar-1", state: .reconnecting)
            let old = try await client.get("/v1/accessories").json["accessories"]?.elements[1]
            #expect((old?["connected"], old?["active"]) == (.bool(false), .bool(false)))
            #expect(try await client.get("/v2/accessories").json["items"]?.elements[1]["state"] == "reconnecting")
            #expect(throws: SandboxControl.Failure.self) { try service.control.updateAccessory("nothing", battery: 1) }
        }
    }
}
#endif
