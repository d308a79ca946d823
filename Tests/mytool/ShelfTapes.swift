// snippet: tapes
import CofferdamContracts
import CofferdamTool

struct ShelfErrorRecord: TapeErrorRecord {
    var code: ShelfError.Code

    init?(_ error: any Error) {
        guard let error = error as? ShelfError else { return nil }
        code = error.code
    }

    var error: any Error { ShelfError(code: code) }
}

let shelfTapes = TapeTooling<any Shelf>(
    calls: [
        TapedCall(ShelfOperations.book, on: { $0 }, calls: ["1", "2", "none"]),
        TapedCall(ShelfOperations.put, on: { $0 }, calls: [Book(id: "5", title: "Middlemarch")]),
        TapedCall(ShelfOperations.books, on: { $0 }, calls: [ShelfRequest(limit: 2)]),
    ],
    errors: ShelfErrorRecord.self,
    isIsolated: true  // each adapter opens a library of its own
)
// end
