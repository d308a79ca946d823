import Cofferdam
import CofferdamContracts

/// The shelf's operations, described as an adopter would.
enum ShelfContract {
    /// The rules that the contracts of other ports in this package do not run.
    static let rules = all.rules.filter { ids.contains($0.id) }
    /// The mutants of these rules. The shelf treats a limit below 1 as 1, so no limit is refused.
    static let mutants = all.mutants.filter { ids.contains($0.rule) }

    static let ids: Set<RuleID> = [
        "LIST-07", "LIST-08", "LIST-10", "LIST-11", "LIST-13", "LIST-14", "LIST-15", "LIST-16", "MUT-02", "MUT-03",
        "MUT-05", "BIN-05", "BIN-07", "BIN-08", "BIN-09",
    ]

    private static var all: (rules: [Rule<Shelf>], mutants: [Mutant<Shelf>]) {
        var rules = books.rules + retitle.rules
        rules += remove.rules + cover.rules
        rules += BinaryUpload.rules(of: upload)
        var mutants = books.mutants + retitle.mutants
        mutants += remove.mutants + cover.mutants
        mutants += upload.mutants
        return (rules, mutants)
    }

    static let books = ListOperation<Shelf, Book>(
        call: shelf("books", \.books),
        instances: ListInstances(another: shelf("open another", \.openAnother), close: { _ in }),
        isInvalidCursor: { $0 as? ShelfError == .invalidCursor },
        isInvalidLimit: nil,
        seed: { shelf, count in
            shelf.vendor.state.withLock { $0 = ShelfVendor.State() }
            return (0..<count).map { shelf.vendor.add(author: $0.isMultiple(of: 3) ? "Ann" : "Bob") }
        },
        setQuirk: { _, _ in },
        expireCursors: { _ in },
        setFailing: { shelf, fails in shelf.vendor.state.withLock { $0.isFailing = fails } },
        grow: { shelf, count in for _ in 0..<count { _ = shelf.vendor.add() } },
        remove: { shelf, book in shelf.vendor.state.withLock { $0.books.removeAll { $0.id == book.id } } },
        selection: ListSelection(
            call: shelf("books by", \.booksBy),
            pages: shelf("books by, in pages", \.booksByPages),
            arguments: ["Ann", "Bob", "nobody"],
            selected: { author, all in all.filter { $0.author == author } },
            arrived: { $0.vendor.state.withLock { $0.authorsAsked } }
        )
    )

    private static let retitle = UpdateOperation<Shelf, Retitling, Book>(
        call: shelf("retitle", \.retitle),
        read: shelf("all", \.all),
        prepare: { shelf in
            let books = ["Ann", "Bob"].map { shelf.vendor.add(author: $0) }
            return books.map { Retitling(id: $0.id, title: "The hydra", version: 1) }
        },
        changed: { change, books in
            books.map { book in
                var book = book
                if book.id == change.id { book.title = change.title }
                return book
            }
        },
        comparable: { book in
            var book = book
            book.version = 0
            return book
        },
        overwritten: { book in
            var book = book
            book.author = ""
            return book
        },
        stale: StaleChange(
            capability: "versions",
            isConflict: { $0 as? ShelfError == .conflict },
            outdated: { shelf, change in
                try shelf.vendor.change(change.id) { book in
                    book.title = "somebody else's"
                    book.version += 1
                }
                return change
            },
            refreshed: { shelf, change in
                var change = change
                change.version = try await shelf.book(change.id).version
                return change
            }
        )
    )

    private static let remove = DeleteOperation<Shelf, Int, Book>(
        call: shelf("remove", \.remove),
        get: shelf("book", \.book),
        second: .notFound,
        isNotFound: { $0 as? ShelfError == .notFound },
        seed: { shelf in (0..<3).map { _ in shelf.vendor.add().id } }
    )

    static let cover = BinaryOperation<Shelf, Int>(
        call: shelf("cover", \.cover),
        seed: { shelf, bytes in
            let book = shelf.vendor.add()
            shelf.vendor.state.withLock { $0.covers[book.id] = bytes }
            return book.id
        },
        vendor: BinaryEvidence(
            inject: { shelf, fault in shelf.vendor.state.withLock { $0.faults.append(fault) } },
            waitForHeld: { _, _ in },
            files: PortCall("files", get: { _ in { _ in [] } }, replace: { shelf, _ in shelf })
        ),
        isPortError: { $0 is ShelfError },
        isTruncated: { $0 as? ShelfError == .truncated },
        nonsense: .refused { $0 as? ShelfError == .notACover },
        progress: BinaryProgress(call: shelf("cover, with progress", \.coverWithProgress))
    )

    private static let upload = BinaryUpload<Shelf>(
        call: shelf("add", \.add),
        received: { $0.vendor.state.withLock { $0.uploaded } }
    )
}
