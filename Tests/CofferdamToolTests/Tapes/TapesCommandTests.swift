#if CommandLine
import Cofferdam
import CofferdamContracts
import Foundation
import Testing
import TestSupport

@testable import CofferdamTool
@testable import mytool

/// `tapes record` on one adapter, and `tapes compare` on another.
@Suite struct TapesCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tapes-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    @Test func `what one build records, another compares: 0 without differences, 1 with one`() async throws {
        defer { removeFolder(folder.path) }
        let file = path("a/v1.tape.json")
        #expect(await ["tapes", "record", "--adapter", "V1", file].exitCode(of: OldTool.self) == 0)
        let tape = try Tape(contentsOf: file)
        #expect(tape.title == "v1")
        #expect(tape.operations == ["book", "book", "book", "books", "books", "books", "books"])
        #expect(await ["tapes", "compare", file, "--adapter", "v1", "--json"].exitCode(of: OldTool.self) == 0)
        #expect(await ["tapes", "compare", file, "--adapter", "same"].exitCode(of: NewTool.self) == 0)
        #expect(await ["tapes", "compare", file, "--adapter", "v2"].exitCode(of: NewTool.self) == 1)
        #expect(await ["tapes", "compare", file, "--adapter", "v2"].exitCode(of: KnowingTool.self) == 0)
    }

    @Test func `only the named calls are recorded`() async throws {
        defer { removeFolder(folder.path) }
        let some = ["tapes", "record", "--adapter", "v1", path("some"), "--call", "BOOKS", "--json"]
        #expect(await some.exitCode(of: OldTool.self) == 0)
        #expect(Set(try Tape(contentsOf: path("some")).operations) == ["books"])
    }

    @Test func `an unknown name is wrong usage, and a file or adapter that cannot be opened is an error`()
        async throws
    {
        defer { removeFolder(folder.path) }
        let file = path("v1.tape.json")
        #expect(await ["tapes", "record", "--adapter", "v9", file].exitCode(of: OldTool.self) == 64)
        #expect(
            await ["tapes", "record", "--adapter", "v1", file, "--call", "put"].exitCode(of: OldTool.self) == 64
        )
        #expect(await ["tapes", "record", file].exitCode(of: OldTool.self) == 64)
        #expect(await ["tapes", "record", "--adapter", "v1", file].exitCode(of: SoundTool.self) == 64)
        #expect(await ["tapes", "compare", file, "--adapter", "v1"].exitCode(of: OldTool.self) == 70)
        #expect(await ["tapes", "record", "--adapter", "v1", "/dev/null/x"].exitCode(of: OldTool.self) == 70)
        try OutputFile.write([UInt8]("{}".utf8), to: file)
        #expect(await ["tapes", "compare", file, "--adapter", "v1"].exitCode(of: OldTool.self) == 70)
    }

    @Test func `a vendor that answers nothing leaves no tape, and an empty tape does not count as agreement`()
        async throws
    {
        defer { removeFolder(folder.path) }
        let file = path("v1.tape.json")
        #expect(await ["tapes", "record", "--adapter", "broken", file].exitCode(of: NewTool.self) == 1)
        #expect(!FileManager.default.fileExists(atPath: file))
        try Tape(title: "v1", entries: []).write(to: file)
        #expect(await ["tapes", "compare", file, "--adapter", "same"].exitCode(of: NewTool.self) == 1)
    }

    @Test func `a secret is on no tape, and the call that holds it is repeated with it`() async throws {
        defer { removeFolder(folder.path) }
        let file = path("v1.tape.json")
        #expect(await ["tapes", "record", "--adapter", "v1", file].exitCode(of: SecretTool.self) == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("[redacted key]") && !text.contains("swordfish"))
        #expect(await ["tapes", "compare", file, "--adapter", "v1"].exitCode(of: SecretTool.self) == 0)
        // A tool that does not know the secret's name cannot repeat the call.
        #expect(await ["tapes", "compare", file, "--adapter", "v1"].exitCode(of: OldTool.self) == 70)
    }
}

private func tooling(_ shelves: [ShelfDouble], knowing known: [KnownDrift] = []) -> Tooling {
    Tooling(
        rules: [Rule<any Shelf>]([Rule("LIST-01", "every item once") { _, _ in [] }]),
        adapters: shelves.map { $0.adapter },
        tapes: .shelves(knowing: known)
    )
}

private let changed: ShelfDouble = {
    var shelf = ShelfDouble("v2")
    shelf.books[0].pages = 500
    return shelf
}()

private enum OldTool: TeamTool {
    static let name = "old"
    static func tooling() async throws -> Tooling { CofferdamToolTests.tooling([ShelfDouble("v1")]) }
}

private enum NewTool: TeamTool {
    static let name = "new"
    static func tooling() async throws -> Tooling {
        var broken = ShelfDouble("broken")
        broken.failure = ShelfError(code: .unreachable)
        return CofferdamToolTests.tooling([changed, ShelfDouble("same"), broken])
    }
}

private enum KnowingTool: TeamTool {
    static let name = "knowing"
    static func tooling() async throws -> Tooling {
        let known = [("book", "result.pages"), ("books", "result.items[*].pages")].map {
            KnownDrift(id: "D1", call: $0, path: $1, reason: "a new edition", legacy: ["474"], candidate: ["500"])
        }
        return CofferdamToolTests.tooling([changed], knowing: known)
    }
}

private enum SecretTool: TeamTool {
    static let name = "secret"
    static func tooling() async throws -> Tooling {
        var books = ShelfContract.seed
        books.append(Book(id: "swordfish", title: "the swordfish", pages: 1))
        return Tooling(
            rules: [Rule<any Shelf>]([Rule("LIST-01", "every item once") { _, _ in [] }]),
            adapters: [ShelfDouble("v1", books).adapter],
            tapes: TapeTooling(calls: [TapedCall(ShelfOperations.book, on: { $0 }, calls: ["swordfish"])]) { _ in
                TapeRedaction().secret("key", "swordfish")
            }
        )
    }
}
#endif
