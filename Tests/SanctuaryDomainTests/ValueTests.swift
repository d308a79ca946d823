import SanctuaryDomain
import Testing

@Suite struct ValueTests {
    @Test(
        arguments: [
            (0, 0), (1.0005, 1001), (1.0004, 1000), (-1.5, -1500), (0.0004, 0), (1e15, 1_000_000_000_000_000_000),
            (1e16, nil), (-1e16, nil), (.infinity, nil), (-.infinity, nil), (.nan, nil),
        ] as [(Double, Int64?)]
    )
    func `seconds become whole milliseconds, or nothing (D14)`(seconds: Double, milliseconds: Int64?) {
        #expect(Instant(seconds: seconds)?.millisecondsSince1970 == milliseconds)
    }

    @Test func `seconds since 2001 and milliseconds since 1970 are one moment (D14)`() {
        let moment = Instant(millisecondsSince1970: 1_700_000_000_000)
        #expect(Instant(seconds: 721_692_800, after: .referenceDate2001) == moment)
        #expect(Instant(seconds: -978_307_200, after: .referenceDate2001) == Instant(millisecondsSince1970: 0))
        #expect(Instant(seconds: 1e15, after: Instant(millisecondsSince1970: .max)) == nil)
        #expect(Instant.referenceDate2001 < moment)
    }

    @Test(arguments: ["7", "4E2A", "4e2a", "", "İ", "ẞ", "Ω", "0-a-B"])
    func `normalising an animal's id a second time changes nothing (D1)`(raw: String) {
        let id = AnimalID(raw)
        #expect(AnimalID(id.rawValue) == id)
        #expect(AnimalID(raw.lowercased()) == id)
        #expect("\(id)" == id.rawValue)
    }

    @Test(
        arguments: [
            (-1, nil), (0, 0), (1, 1), (100, 100), (101, nil), (.max, nil), (.min, nil),
        ] as [(Int, Int?)]
    )
    func `a battery has 0 to 100 percent (D14)`(percent: Int, expected: Int?) {
        #expect(Battery(percent: percent)?.percent == expected)
    }

    @Test(arguments: ["mammal", "bird", "reptile", "fish", "other", "insect", "", "Mammal"])
    func `a group keeps its raw spelling, known or not (GET-07)`(raw: String) {
        let group = AnimalGroup(raw)
        #expect(group.description == raw)
        #expect(group.isUnknown == ["insect", "", "Mammal"].contains(raw))
    }

    @Test func `three kinds of nothing are kept apart (D5)`() {
        let counts: [Count] = [.known(0), .unknown, .ambiguousZero]
        #expect(Set(counts).count == 3)
        #expect(Set(counts.map(\.description)).count == 3)
    }

    @Test func `credentials print without their password, however one prints them (ERR-06)`() {
        let credentials = Credentials(user: "amara", password: "s3cret")
        var dumped = ""
        dump([credentials], to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), "\([credentials])", dumped] {
            #expect(text.contains("amara"))
            #expect(!text.contains("s3cret"))
        }
    }
}
