import CofferdamContracts
import Testing

@Suite struct RuleIDTests {
    @Test(arguments: ["LIST-01", "KV2-10", "shop/LIST-01", "my-shop2/ORDER-123"])
    func `an id is a family and a number, with or without a namespace`(_ id: String) {
        #expect(RuleID(rawValue: id).isWellFormed)
    }

    @Test(arguments: [
        "", "LIST", "LIST-1", "list-01", "/LIST-01", "Shop/LIST-01", "a/b/LIST-01", "LIST-01 ", "LIST-0x",
    ])
    func `everything else is not an id`(_ id: String) {
        #expect(!RuleID(rawValue: id).isWellFormed)
    }

    @Test func `an id contains its family and its namespace`() {
        #expect(RuleID("shop/LIST-01").namespace == "shop")
        #expect(RuleID("shop/LIST-01").family == "LIST")
        #expect(RuleID("LIST-01").namespace == nil)
        #expect(RuleID("LIST-01").family == "LIST")
    }

    @Test func `the catalogue has 114 rules of ports and 18 of the kit and its tapes, each once`() {
        let own: Set = ["KIT", "TAPE"]
        #expect(RuleCatalogue.ids.count { !own.contains($0.family) } == 114)
        #expect(RuleCatalogue.ids.count { own.contains($0.family) } == 18)
        #expect(Set(RuleCatalogue.ids).count == RuleCatalogue.ids.count)
        #expect(RuleCatalogue.ids.filter { !$0.isWellFormed }.isEmpty)
        let levels: [(RuleID, RuleLevel?)] = [
            ("LIST-08", .must), ("LIST-09", .should), ("GET-08", .optional), ("STRM-10", .optional), ("STRM-11", .must),
            ("BIN-08", .optional), ("LIFE-05", .stochastic), ("LIST-13", .must), ("LIST-99", nil),
            ("shop/LIST-01", nil),
        ]
        for (id, level) in levels { #expect(RuleCatalogue.level(of: id) == level, "\(id)") }
    }
}
