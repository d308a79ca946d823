#if Sandbox
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

struct OffsetPagingTests {
    @Test(
        "D5, LIST-06: a cursor made elsewhere or for another list is refused",
        arguments: [
            "", "50", "v1:orders:50", "v1:animals:", "v1:animals:-1", "v1:animals:0", "v1:animals:050", "v1:animals:+5",
            "v1:animals:5 ", "v2:animals:50", "v1:animals:99999999999999999999",
        ]
    )
    func foreignCursor(raw: String) throws {
        let request = PageRequest(cursor: Cursor(raw))
        let error = #expect(throws: SanctuaryError.self) { try OffsetCursor.offset(of: request, in: "animals") }
        #expect(error?.code == .invalidCursor)
        #expect(error?.subject == raw)
    }

    @Test("D5: a cursor is the offset, and no cursor the beginning")
    func cursor() throws {
        let cursor = OffsetCursor(list: "animals", offset: 50).cursor
        #expect(cursor == Cursor("v1:animals:50"))
        #expect(try OffsetCursor.offset(of: PageRequest(cursor: cursor), in: "animals") == 50)
        #expect(try OffsetCursor.offset(of: PageRequest(), in: "animals") == 0)
    }

    @Test(
        "LIST-02: next is absent exactly on the last page",
        arguments: [
            (0, 0, 0, nil), (0, 10, 10, nil), (0, 10, 11, "v1:animals:10"), (10, 1, 11, nil), (11, 0, 11, nil),
            (0, 3, 11, "v1:animals:3"), (0, 12, 20, "v1:animals:10"), (.max, 1, .max, nil), (.max - 1, 3, .max, nil),
        ] as [(Int, Int, Int, String?)]
    )
    func next(offset: Int, count: Int, total: Int, next: String?) throws {
        let page = try Batch(items: Array(0..<count), total: total).page(at: offset, limit: 10, in: "animals")
        #expect(page.next?.rawValue == next)
        #expect(page.items.count == min(count, 10))
    }

    @Test(
        "LIST-05: no progress, or a list that has shrunk, is reported",
        arguments: [(0, 0, 5), (10, 0, 11), (10, 0, 9)]
    )
    func noProgress(offset: Int, count: Int, total: Int) throws {
        let batch = Batch(items: Array(0..<count), total: total)
        let error = #expect(throws: SanctuaryError.self) { try batch.page(at: offset, limit: 10, in: "animals") }
        #expect(error?.code == .invalidCursor)
    }

    @Test("LIST-07: a limit below one is refused, one above the vendor's maximum is cut")
    func limits() throws {
        for limit in [0, -1, Int.min] {
            let error = #expect(throws: SanctuaryError.self) { try PageRequest(limit: limit).vendorLimit() }
            #expect(error?.code == .invalidRequest)
        }
        #expect(try PageRequest(limit: 1).vendorLimit() == 1)
        #expect(try PageRequest(limit: .max).vendorLimit() == 1000)
    }
}
#endif
