import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing
import TestSupport

@Suite struct TapeTraitTests {
    /// A directory that is removed with the test.
    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "tapes-\(UUID().uuidString)")
            .path(percentEncoded: false)

        deinit { removeFolder(path) }

        var files: [String] {
            get throws {
                FileManager.default.fileExists(atPath: path)
                    ? try FileManager.default.contentsOfDirectory(atPath: path).sorted() : []
            }
        }
    }

    private let folder = Folder()

    /// Runs `body` as this test's case, with the trait.
    private func run(
        _ mode: TapeMode,
        _ body: @concurrent @escaping @Sendable (any KeyValueStore) async throws -> Void
    ) async throws {
        let options = TapeOptions.defaults { $0.environment = [:] }
        let trait = TapeTrait.tape(in: folder.path, mode: mode, options: options)
        try await trait.provideScope(for: #require(Test.current), testCase: Test.Case.current) {
            let session = try CaseScope.value(TapeSession.self)
            try await body(await session.intercepted { DictionaryStore() as any KeyValueStore })
        }
    }

    @Test func `what a test has recorded is replayed to it, from a file that bears its name`() async throws {
        try await run(.record) { store in
            try await store.set("hello", for: "greeting")
            #expect(try await store.value(for: "greeting") == "hello")
        }
        let file = try #require(try folder.files.first)
        #expect(file.hasPrefix("CofferdamContractsTests-TapeTraitTests-what-a-test-has-recorded"), "\(file)")
        #expect(!file.contains("swift"), "a line that moves must not lose its tape")
        try await run(.replay) { store in
            try await store.set("hello", for: "greeting")
            #expect(try await store.value(for: "greeting") == "hello")
        }
        await #expect(throws: TapeError.self) {
            try await run(.replay) { store in try await store.set("another", for: "greeting") }
        }
    }

    @Test func `a value that no trait provides is an error that names what one does`() async throws {
        #expect(throws: NotInScope.self) { try CaseScope.value(TapeSession.self) }
        try await run(.record) { _ in
            let error = #expect(throws: NotInScope.self) { try CaseScope.value(String.self) }
            #expect(error?.description == "no trait of the test provides a String; .tape(in:) provides a TapeSession")
        }
    }

    @Test(arguments: ["one", "two/three"], [1, 2])
    func `each case has a tape of its own`(_ text: String, _ number: Int) async throws {
        try await run(.record) { store in try await store.set(text, for: "\(number)") }
        try await run(.replay) { store in try await store.set(text, for: "\(number)") }
        let tape = try Tape(contentsOf: folder.path + "/" + #require(try folder.files.first))
        #expect(tape.title.hasSuffix("(case: \"\(text)\", \(number))"), "\(tape.title)")
    }

    @Test func `nothing is written for a test that failed without throwing`() async throws {
        let found = Mutex(0)
        let swallowed = IssueHandlingTrait.compactMapIssues { _ in
            found.withLock { $0 += 1 }
            return nil
        }
        try await swallowed.provideScope(for: #require(Test.current), testCase: nil) {
            try await run(.record) { store in
                try await store.set("a", for: "b")
                Issue.record("something is wrong")
            }
        }
        #expect(found.withLock { $0 } == 1)
        #expect(try folder.files == [])
    }

    @Test func `a directory that is named without a slash is beside the test`() async throws {
        let trait = TapeTrait.tape(in: "Tapes", mode: .replay)
        let error = try await #require(throws: TapeError.self) {
            try await trait.provideScope(for: #require(Test.current), testCase: nil) {}
        }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().path(percentEncoded: false)
        #expect("\(error)".contains("\(folder)Tapes/CofferdamContractsTests-TapeTraitTests-"), "\(error)")
    }
}
