#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Testing
@testable import CofferdamServer

@Suite("Freeze windows") struct FreezeWindowTests {
    private static let weekend = "Fri 16:00-Mon 08:00"

    /// 2026-11-20 is a Friday; 15:00 UTC is 16:00 in Berlin in winter.
    @Test(
        arguments: [
            (1_795_186_740_000, false), (1_795_186_800_000, true), (1_795_300_000_000, true),
            (1_795_417_199_000, true), (1_795_417_200_000, false), (1_795_450_000_000, false),
        ] as [(Int64, Bool)]
    )
    func `it begins and ends by the clocks of its time zone`(_ time: Int64, _ isFrozen: Bool) throws {
        #expect(try FreezeWindow(Self.weekend, zone: "Europe/Berlin").contains(time) == isFrozen)
    }

    /// In summer, 16:00 in Berlin is 14:00 UTC: 2026-07-03.
    @Test func `it follows the change of clocks`() throws {
        let window = try FreezeWindow(Self.weekend, zone: "Europe/Berlin")
        #expect(!window.contains(1_783_087_199_000))
        #expect(window.contains(1_783_087_200_000))
    }

    @Test(arguments: [
        "", "Fri 16:00", "Fri 16:00-", "Fri 16:00-Fri 16:00", "fri 16:00-Mon 08:00", "Fri 24:00-Mon 08:00",
        "Fri 16:60-Mon 08:00", "Fri +1:00-Mon 08:00",
    ])
    func `another text is refused`(_ text: String) {
        #expect(throws: ControlPlaneError.self) { try FreezeWindow(text, zone: "UTC") }
    }

    @Test func `an unknown time zone is refused`() {
        #expect(throws: ControlPlaneError.self) { try FreezeWindow(Self.weekend, zone: "Europe/Atlantis") }
    }

    @Test func `neither a person nor the gate promotes during it, and every step down is allowed`() async throws {
        let window = try FreezeWindow(Self.weekend, zone: "UTC")
        try await TestServer.with({
            $0.freezes = [window]
            $0.capabilities[0].promotesAutomatically = true
        }) { server in
            server.time.withLock { $0 = 1_795_100_000_000 }  // Thursday
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            #expect(try await server.order("advance", #""reason": "test""#).status == 200)
            server.time.withLock { $0 = 1_795_200_000_000 }  // Friday, 18:40
            let clean = {
                Reports.report(.shadow(sample: .all), epoch: 1, $0, Reports.windows("comparisons", ["match"]))
            }
            for post in Reports.inPosts(2_500, clean) { try await server.report(post) }
            let upgrade = try #require(try server.plane.parts.upgrades["orders"])
            #expect(await upgrade.engine?.decide()?.verdict == .promote)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.stage == .shadow(sample: .all))
            let answer = try await server.order("promote")
            #expect(answer.status == 409)
            #expect(answer.code == "freezeWindow")
            #expect(answer.message == "nothing is promoted during the freeze window Fri 16:00-Mon 08:00 UTC")
            #expect(
                try await server.get("/capabilities/orders").text.contains("freeze window Fri 16:00-Mon 08:00 UTC.")
            )
            #expect(try await server.order("kill", #""reason": "test", "target": "legacy""#).status == 200)
            #expect(try await server.order("resume").status == 200)
            let despite = try await server.order("advance", #""reason": "test", "despiteGate": true"#)
            #expect(despite.status == 200, "a person may answer for it")
            server.time.withLock { $0 = 1_795_500_000_000 }  // Tuesday
            #expect(try await server.order("abort").status == 200)
            #expect(try await server.order("advance", #""reason": "test""#).status == 200)
        }
    }
}
#endif
