import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite struct VendorCursorTests {
    @Test("D5, LIST-04: any cursor survives, the empty one too", arguments: ["", "abc", "v2:", "0", "é\n/?=&", "v1:3"])
    func roundTrip(cursor: String) throws {
        let request = PageRequest(cursor: VendorCursor.wrap(cursor), limit: 1)
        #expect(try VendorCursor.asked(request) == cursor)
    }

    @Test("D5: absent is not empty")
    func absent() throws {
        #expect(try VendorCursor.asked(PageRequest(limit: 1)) == nil)
        #expect(try VendorCursor.next(after: page(next: nil), asked: "") == nil)
        #expect(try VendorCursor.next(after: page(next: ""), asked: nil) == Cursor("v2:"))
    }

    @Test("D5, LIST-06: a foreign cursor is invalidCursor", arguments: ["", "50", "v1:50", "V2:x", "v2"])
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
            try VendorCursor.next(after: page(next: cursor), asked: cursor)
        }
        #expect(error?.code == .invalidCursor)
    }

    @Test("A limit below 1 is invalidRequest", arguments: [0, -1, .min])
    func limits(limit: Int) {
        let error = #expect(throws: SanctuaryError.self) { try VendorCursor.asked(PageRequest(limit: limit)) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.subject == "limit")
    }

    private func page(next: String?) -> MenagerieV2.Page<Int> { .init(items: [], nextCursor: next) }
}
