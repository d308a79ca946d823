// snippet: rehearsal
import Cofferdam
import CofferdamRehearsal
import CofferdamUpgrade
import Foundation

/// Calls for each scenario, with a library of its own.
let shelfRehearsal = ScenarioRunner { walk in
    let folder = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await walk(rehearsedShelf(on: .seeded(), files: folder.path(percentEncoded: false)))
}

private func rehearsedShelf(on library: Library, files: String) -> RehearsedUpgrade<any Shelf> {
    RehearsedUpgrade(
        capability: "shelf",
        directory: files,
        operations: [
            TrafficOperation("book", .read) { shelf, step in
                let expected = try step.choice(from: ShelfContract.seed)
                let book = try await shelf.book(expected.id)
                guard book == expected else { throw WrongValue("\(expected.id) is \(book)") }
            },
            TrafficOperation("put", .write) { shelf, step in
                try await shelf.put(Book(id: "written by \(step.unit)", title: step.key))
            },
        ],
        failures: .shelf,
        failure: { meaning in
            switch meaning {
            case .answer: ShelfError(code: .noSuchBook)
            case .unsent: ShelfError(code: .unreachable)
            case .outcomeUnknown: ShelfError(code: .outcomeUnknown)
            case .failed: ShelfError(code: .failed)
            }
        },
        open: { instance in
            switch instance {
            case .legacy: V1Shelf(sdk: LibraryV1(library: library))
            case .candidate: V2Shelf(sdk: LibraryV2(library: library))
            // On a copy of the data.
            case .shadowCandidate: V2Shelf(sdk: LibraryV2(library: .seeded()))
            }
        },
        close: { _ in },
        routed: { router, session, settings in
            Intercepted(source: router.route(for: session, settings: settings) { $0 })
        },
        faulty: { shelf, faults in Intercepted(shelf, by: [faults]) },
        written: { library.stored }
    )
}
// end
