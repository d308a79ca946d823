import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing
import TestSupport

@Suite final class TapeFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "tapes-\(UUID().uuidString)").path
    private var options: TapeOptions {
        .defaults {
            $0.clock = TestClock()
            $0.environment = [:]
        }
    }

    deinit { removeFolder(directory) }

    private func record(_ location: TapeLocation, _ text: String, options: TapeOptions? = nil) async throws {
        try await withTape(location, .record, options: options ?? self.options) { session in
            let store = await session.intercepted { DictionaryStore() as any KeyValueStore }
            try await store.set(text, for: "a")
        }
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    @Test func `a file reads well, with sorted keys and a version`() async throws {
        let tape = try await tape(of: ScriptedStore([{ nil }, { throw StoreError(code: "gone", hint: "a/b") }])) {
            store in
            _ = try await store.value(for: "a")
            _ = await outcome { try await store.value(for: "a") }
        }
        #expect(
            String(decoding: try tape.json(), as: UTF8.self) == """
                {
                  "cofferdamTape" : 1,
                  "entries" : [
                    {
                      "arguments" : {
                        "key" : "a"
                      },
                      "kind" : "read",
                      "operation" : "value",
                      "outcome" : {
                        "returned" : null
                      },
                      "start" : 0,
                      "took" : 0
                    },
                    {
                      "arguments" : {
                        "key" : "a"
                      },
                      "kind" : "read",
                      "operation" : "value",
                      "outcome" : {
                        "failed" : {
                          "record" : {
                            "code" : "gone",
                            "hint" : "a/b"
                          },
                          "type" : "StoreError"
                        }
                      },
                      "start" : 0,
                      "took" : 0
                    }
                  ],
                  "redaction" : {
                    "fields" : [

                    ],
                    "secrets" : [

                    ],
                    "types" : [

                    ]
                  },
                  "title" : "a test"
                }

                """
        )
    }

    @Test(arguments: [
        ("", "damaged", "the file is empty"),
        ("{\n  \"title\" :\n", "damaged", "line 2: the file ends before the tape does"),
        ("{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n}", "damaged", "line 2: a merge conflict"),
        ("{nonsense}", "damaged", "not valid JSON"), (#"{"cofferdamTape":1}"#, "damaged", "title"),
        (#"{"title":"a"}"#, "damaged", "cofferdamTape is missing"),
        (#"{"cofferdamTape":2,"anything":"else"}"#, "newer", "it has format 2, and this kit reads up to 1"),
        (entry(#""operation":"a","kind":"read","start":0,"took":0"#), "damaged", "entries[0]: outcome is missing"),
        (
            entry(#""operation":"a","kind":"reed","start":0,"took":0,"outcome":{"cancelled":true}"#),
            "damaged", "entries[0].kind: "
        ),
        (
            entry(#""operation":"a","kind":"read","start":0,"took":0,"outcome":{}"#),
            "damaged", "entries[0].outcome: exactly one of returned, failed, cancelled"
        ),
        (
            entry(#""operation":"a","kind":"read","start":0,"took":"long","outcome":{"cancelled":true}"#),
            "damaged", "entries[0].took: "
        ),
        (
            entry(#""operation":"a","kind":"read","start":-1,"took":0,"outcome":{"cancelled":true}"#),
            "damaged", "entries[0].start: not a time of a recording: -1"
        ),
        (
            entry(
                #""operation":"a","kind":"read","start":0,"took":0,"outcome":{"cancelled":true}"#
                    + #","items":[{"at":9223372036854775807,"value":1}]"#
            ),
            "damaged", "entries[0].items[0].at: not a time of a recording"
        ),
    ])
    func `a damaged or newer file says what is wrong, and where`(
        _ text: String,
        _ code: String,
        _ part: String
    ) throws {
        let error = #expect(throws: TapeError.self) { try Tape(json: Array(text.utf8), subject: "a.tape.json") }
        #expect(error?.code.rawValue == code && error?.subject == "a.tape.json")
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    private static func entry(_ fields: String) -> String {
        #"{"cofferdamTape":1,"title":"","redaction":{"fields":[],"types":[],"secrets":[]},"entries":[{\#(fields)}]}"#
    }

    @Test func `a file that is not there is an error with its path`() {
        let error = #expect(throws: TapeError.self) { try Tape(contentsOf: "\(directory)/none.json") }
        #expect(error?.code == .file && error?.subject == "\(directory)/none.json")
    }

    @Test func `TAPE-07: each case of a test has a tape of its own, even if they run at the same time`() async throws {
        let cases = (0..<20).map { TapeLocation(directory: directory, test: "Suite/test()", testCase: "case \($0)") }
        for mode in [TapeMode.record, .replay] {
            try await withThrowingTaskGroup { group in
                for (number, location) in cases.enumerated() {
                    group.addTask { [options] in
                        try await withTape(location, mode, options: options) { session in
                            let store = await session.intercepted { DictionaryStore() as any KeyValueStore }
                            try await store.set("\(number)", for: "a")
                            await Task.yield()
                            #expect(try await store.value(for: "a") == "\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(files.count == 20)
    }

    @Test func `TAPE-07: names that look alike are other files, and a tape of another test is refused`() async throws {
        let titles = ["a b", "a-b", "a/b", "A b", "a  b", "ä b", "../a b", String(repeating: "x", count: 300)]
        let paths = titles.map { TapeLocation(directory: directory, test: $0).path }
        #expect(Set(paths.map { $0.lowercased() }).count == titles.count)
        #expect(paths.allSatisfy { !$0.dropFirst(directory.count + 1).contains("/") && $0.utf8.count < 255 })
        let (one, other) = (
            TapeLocation(directory: directory, test: "one"), TapeLocation(directory: directory, test: "other")
        )
        try await record(one, "text")
        try FileManager.default.copyItem(atPath: one.path, toPath: other.path)
        let error = await #expect(throws: TapeError.self) { try await withTape(other, .replay) { _ in } }
        #expect(error?.message == "the tape of another test: one")
    }

    @Test func `TAPE-08: nothing is recorded in CI, and replaying goes on there`() async throws {
        let location = TapeLocation(directory: directory, test: "test")
        for value in ["true", "1", "yes"] {
            var options = options
            options.environment = ["CI": value]
            let error = await #expect(throws: TapeError.self) { try await record(location, "text", options: options) }
            #expect(error?.code == .forbidden)
            #expect(files.isEmpty)
        }
        for value in ["", "0", "false", "FALSE"] {
            var options = options
            options.environment = ["CI": value]
            try await record(location, "text", options: options)
        }
        var options = options
        options.environment = ["CI": "true"]
        try await withTape(location, .replay, options: options) { session in
            let store: Intercepted<any KeyValueStore> = try await session.intercepted { throw Broken() }
            try await store.set("text", for: "a")
        }
    }

    @Test func `TAPE-08: a tape is replaced as a whole: a reader of the old one keeps reading it`() async throws {
        let location = TapeLocation(directory: directory, test: "test")
        try await record(location, String(repeating: "old ", count: 10_000))
        let old = try FileHandle(forReadingFrom: URL(filePath: location.path))
        let size = try Data(contentsOf: URL(filePath: location.path)).count
        try await record(location, "new")
        #expect(try old.readToEnd()?.count == size)
        #expect(try Data(contentsOf: URL(filePath: location.path)).count < size)
        #expect(files.count == 1)
    }

    @Test(arguments: [true, false], [true, false])
    func `TAPE-08: a test that failed leaves the tape as it was, unless it is asked for`(
        _ isThrown: Bool,
        _ isAsked: Bool
    ) async throws {
        let location = TapeLocation(directory: directory, test: "test")
        try await record(location, "before")
        let before = try Tape(contentsOf: location.path)
        var options = options
        options.writesAfterFailure = isAsked
        do {
            try await withTape(location, .record, options: options, hasFailed: { !isThrown }) { session in
                let store = await session.intercepted { DictionaryStore() as any KeyValueStore }
                try await store.set("after", for: "a")
                if isThrown { throw Broken() }
            }
            #expect(!isThrown)
        } catch { #expect(error is Broken && isThrown) }
        #expect((try Tape(contentsOf: location.path) == before) == !isAsked)
    }

    @Test func `a place where nothing can be written is an error with its path`() async throws {
        try await record(TapeLocation(directory: directory, test: "test"), "text")
        let location = TapeLocation(directory: "\(directory)/\(files[0])", test: "test")
        let error = await #expect(throws: TapeError.self) { try await record(location, "text") }
        #expect(error?.code == .file && error?.subject == location.path)
    }

    @Test func `a replay fails if a recorded call is missing, unless that is allowed or the test failed already`()
        async throws
    {
        let location = TapeLocation(directory: directory, test: "test")
        try await record(location, "text")
        let error = await #expect(throws: TapeError.self) { try await withTape(location, .replay) { _ in } }
        #expect(error?.code == .unused)
        try await withTape(location, .replay, options: .defaults { $0.allowsUnused = true }) { _ in }
        try await withTape(location, .replay, hasFailed: { true }) { _ in }
    }

    @Test func `the environment says whether tapes are recorded`() {
        #expect(TapeMode(environment: ["COFFERDAM_TAPES": "record"]) == .record)
        for value in ["replay", "nonsense", ""] {
            #expect(TapeMode(environment: ["COFFERDAM_TAPES": value]) == .replay)
        }
        #expect(TapeMode(environment: [:]) == .replay)
    }
}
