#if Sandbox
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct VendorCursorTests {
    @Test("D5, LIST-04: any cursor survives, the empty one too", arguments: ["", "abc", "v2:", "0", "é\n/?=&", "v1:3"])
    func roundTrip(cursor: String) throws {
        let request = PageRequest(cursor: VendorCursor(cursor).wrapped, limit: 1)
        #expect(try VendorCursor.asked(request)?.vendor == cursor)
    }

    @Test("D5: absent is not empty")
    func absent() throws {
        #expect(try VendorCursor.asked(PageRequest(limit: 1)) == nil)
        #expect(try VendorCursor.next(after: page(next: nil), asked: VendorCursor("")) == nil)
        #expect(try VendorCursor.next(after: page(next: ""), asked: nil) == Cursor("v2::"))
    }

    @Test(
        "D5, LIST-06: a foreign cursor is invalidCursor",
        arguments: ["", "50", "v1:50", "V2:x", "v2", "v2:", "v2:abc", "v2:x:abc", "v2:9-1:abc", "v2:1-2-3:abc"]
    )
    func foreign(raw: String) {
        let error = #expect(throws: SanctuaryError.self) {
            try VendorCursor.asked(PageRequest(cursor: Cursor(raw), limit: 1))
        }
        #expect(error?.code == .invalidCursor)
        #expect(error?.subject == raw)
    }

    @Test("D5, LIST-05: a cursor that leads to itself is invalidCursor", arguments: ["", "abc"])
    func repeated(cursor: String) {
        let error = #expect(throws: SanctuaryError.self) {
            try VendorCursor.next(after: page(next: cursor), asked: VendorCursor(cursor))
        }
        #expect(error?.code == .invalidCursor)
    }

    @Test("A limit below 1 is invalidRequest", arguments: [0, -1, .min])
    func limits(limit: Int) {
        let error = #expect(throws: SanctuaryError.self) { try VendorCursor.asked(PageRequest(limit: limit)) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.subject == "limit")
    }

    @Test("D5, LIST-01: what a walk has seen travels with its cursor")
    func seen() throws {
        var seen = SeenAnimals()
        let uuid = "0e0b8a70-0000-4000-8000-00000000000a"
        let ids = ["2", "1", "3", "7", "5", "6", uuid, "3", uuid].map { AnimalID($0) }
        #expect(ids.map { seen.insert($0) } == [true, true, true, true, true, true, true, false, false])
        #expect("\(seen)" == "1-3,5-7,\(uuid)")
        let travelled = try VendorCursor(VendorCursor("a:b", seen: seen).wrapped)
        #expect(travelled == VendorCursor("a:b", seen: seen))
        #expect(travelled.seen.contains(AnimalID("6")))
        #expect(!travelled.seen.contains(AnimalID("4")))
        #expect(travelled.seen.contains(AnimalID(uuid)))
    }

    @Test("D31: a walk with gaps, as of one group, has a cursor that does not grow for ever")
    func gaps() throws {
        var seen = SeenAnimals()
        for number in 1...1000 { _ = seen.insert(AnimalID("\(number * 5)")) }
        #expect("\(seen)".count < 1200)
        // Pages can overlap only with the end.
        for number in 801...1000 { #expect(seen.contains(AnimalID("\(number * 5)"))) }
    }

    @Test(
        "A forged cursor never traps",
        arguments: ["0-9223372036854775807", "9223372036854775807", "5-9,1-3,2"]
    )
    func madeUp(text: String) throws {
        var seen = try #require(SeenAnimals(text))
        for id in ["4", "0", "9223372036854775807", "9223372036854775806"] { _ = seen.insert(AnimalID(id)) }
        #expect(SeenAnimals("\(seen)") == seen)
    }

    private func page(next: String?) -> MenagerieV2.Page<Int> { .init(items: [], nextCursor: next) }
}
#endif
