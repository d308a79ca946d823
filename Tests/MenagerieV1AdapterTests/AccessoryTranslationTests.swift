#if Sandbox
import Cofferdam
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

struct AccessoryTranslationTests {
    private func accessory(
        _ id: String = "collar-1",
        connected: Bool = false,
        active: Bool = false,
        battery: Double = 0.5,
        lastSeen: Double = 0
    ) -> MenagerieAccessory {
        MenagerieAccessory(
            AccessoryJSON(
                id: id,
                name: "Collar",
                nickname: nil,
                connected: connected,
                active: active,
                battery: battery,
                last_seen: lastSeen
            )
        )
    }

    @Test(
        "D14: the battery's fraction becomes a percentage; out of range, it is nil and reported",
        arguments: [
            (0, 0), (1, 100), (1.0, 100), (0.57, 57), (0.29, 29), (0.005, 1), (57, nil), (100, nil), (1.01, nil),
            (-0.01, nil),
        ] as [(Double, Int?)]
    )
    func battery(share: Double, percent: Int?) throws {
        let log = IssueLog()
        let translated = try Vendor.played(issues: log).translate(
            [accessory(battery: share)],
            by: .accessory,
            "accessories"
        )
        #expect(translated.map { $0.battery?.percent } == [percent])
        #expect(log.issues.map(\.path) == (percent == nil ? ["accessories[0].battery"] : []))
    }

    @Test(
        "D14: seconds since 2001 become milliseconds since 1970",
        arguments: [
            (0, 978_307_200_000), (721_692_800, 1_700_000_000_000), (-978_307_200, 0), (0.0005, 978_307_200_001),
            (721_692_800.25, 1_700_000_000_250),
        ] as [(Double, Int64)]
    )
    func lastSeen(seconds: Double, milliseconds: Int64) throws {
        let translated = try Vendor.played().translate(accessory(lastSeen: seconds), by: .accessory, "accessory")
        #expect(translated.lastSeen == Instant(millisecondsSince1970: milliseconds))
    }

    @Test("D14: an invalid time makes the accessory unreadable", arguments: [Double.infinity, .nan, 1e300])
    func noTime(seconds: Double) throws {
        let error = #expect(throws: SanctuaryError.self) {
            try Vendor.played().translate([accessory(lastSeen: seconds)], by: .accessory, "accessories")
        }
        #expect(error?.code == .decoding)
        #expect(error?.subject == "accessories[0].last_seen")
    }

    @Test(
        "D11: the link is one state",
        arguments: [
            (false, false, Accessory.Link.available), (true, false, .linked), (true, true, .active),
        ]
    )
    func link(connected: Bool, active: Bool, link: Accessory.Link) throws {
        let source = accessory(connected: connected, active: active)
        #expect(try Vendor.played().translate(source, by: .accessory, "accessory").link == link)
    }

    @Test("D30: what a translator gave does not change when the vendor's live object does")
    func snapshots() throws {
        let live = accessory(battery: 0.5)
        let translated = try Vendor.played().translate(live, by: .accessory, "accessory")
        live.battery = 0.1
        #expect(translated.battery == Battery(percent: 50))
    }
}
#endif
