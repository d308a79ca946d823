import Cofferdam
import CofferdamContracts
import Testing

@Suite struct TapeReplayTests {
    @Test func `TAPE-01: identical calls replay in recorded order, and one call more is an error`() async throws {
        let tape = try await tape(of: ScriptedStore(values: ["one", "other", "two", nil])) { store in
            for key in ["a", "b", "a", "a"] { _ = try await store.value(for: key) }
        }
        let player = try TapePlayer(tape)
        var values: [String?] = []
        for key in ["a", "a", "b", "a"] { values.append(try await player.store.value(for: key)) }
        #expect(values == ["one", "two", "other", nil])
        try player.finish()
        let error = try await #require(throws: TapeError.self) { try await player.store.value(for: "a") }
        #expect(error == TapeError(.exhausted, "recorded 3 times, and called once more", subject: "value"))
        #expect(player.problems == [error])
    }

    @Test func `TAPE-02: a failed attempt and the successful one after it are entries of their own`() async throws {
        let down = StoreError(code: "down", hint: "later")
        let tape = try await tape(of: ScriptedStore([{ throw down }, { throw down }, { "up" }])) { store in
            for _ in 1...3 { _ = await outcome { try await store.value(for: "a") } }
        }
        #expect(tape.operations == ["value", "value", "value"])
        let player = try TapePlayer(tape)
        for _ in 1...2 {
            #expect(await #expect(throws: StoreError.self) { try await player.store.value(for: "a") } == down)
        }
        #expect(try await player.store.value(for: "a") == "up")
        try player.finish()
    }

    @Test func `TAPE-03: a call that was not recorded shows the nearest one, field by field`() async throws {
        let tape = try await tape { store in
            try await store.set("x", for: "far")
            try await store.set("new", for: "near")
        }
        let player = try TapePlayer(tape)
        let error = try await #require(throws: TapeError.self) { try await player.store.set("old", for: "near") }
        #expect(
            error.description == """
                unmatched: not recorded with these arguments; the nearest is entry 2: set: \
                arguments.value: recorded "new", called with "old" (set)
                """
        )
        let unknown = try await #require(throws: TapeError.self) { try await player.store.value(for: "near") }
        #expect(unknown.description == "unmatched: the tape has no such call; it has: set (value)")
    }

    @Test func `TAPE-03: an error that the app caught still fails the replay, and so does a missing call`()
        async throws
    {
        let tape = try await tape { store in
            try await store.set("1", for: "a")
            _ = try await store.value(for: "a")
        }
        let caught = try TapePlayer(tape)
        _ = try? await caught.store.value(for: "b")
        #expect(#expect(throws: TapeError.self) { try caught.finish(allowingUnused: true) }?.code == .unmatched)
        let unused = try TapePlayer(tape)
        _ = try await unused.store.value(for: "a")
        let error = #expect(throws: TapeError.self) { try unused.finish() }
        #expect(error?.description == "unused: recorded and not called: entry 1: set (a test)")
        #expect(unused.unused == ["entry 1: set"])
        try unused.finish(allowingUnused: true)
    }

    @Test func `TAPE-04: a write is matched by its arguments, and only a read may be matched without them`()
        async throws
    {
        struct Body: Codable, Sendable { var lines: [[String: Int]] }
        let recorder = try TapeRecorder(environment: [:])
        let recorded = recorder.port(0)
        for kind in [TapeCallKind.write, .read, .looseRead] {
            _ = try await recorded.call("call", ["body": Body(lines: [["quantity": 1]])], kind: kind) { _ in
                kind.rawValue
            }
        }
        let tape = try recorder.finish()
        for kind in [TapeCallKind.write, .read] {
            let port = try TapePlayer(tape).port(of: Int.self)
            let error = try await #require(throws: TapeError.self) {
                try await port.call("call", ["body": Body(lines: [["quantity": 2]])], kind: kind) { _ in "" }
            }
            #expect(error.message.contains("arguments.body.lines[0].quantity: recorded 1, called with 2"))
        }
        let port = try TapePlayer(tape).port(of: Int.self)
        let loose = try await port.call("call", ["body": Body(lines: [])], kind: .looseRead) { _ in "" }
        #expect(loose == "looseRead")
    }

    @Test func `a loose read is not answered by a write of the same name`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        try await recorder.port(0).call("call", ["a": "x"]) { _ in }
        let port = try TapePlayer(try recorder.finish()).port(of: Int.self)
        let error = try await #require(throws: TapeError.self) {
            try await port.call("call", ["a": "y"], kind: .looseRead) { _ in }
        }
        #expect(error.code == .unmatched)
    }

    @Test func `arguments that are missing, surplus or of another shape are reported by their path`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        try await recorder.port(0).call("call", ["a": [1, 2], "b": [3]]) { _ in }
        let player = try TapePlayer(try recorder.finish())
        let error = try await #require(throws: TapeError.self) {
            try await player.port(of: Int.self).call("call", ["a": [1], "c": [3]]) { _ in }
        }
        #expect(
            error.message.hasSuffix(
                """
                arguments.a[1]: recorded 2, called with nothing; arguments.b: recorded [3], called with nothing; \
                arguments.c: recorded nothing, called with [3]
                """
            )
        )
    }

    @Test func `an empty tape says that it is empty`() async throws {
        let player = try TapePlayer(
            Tape(
                json: Array(
                    #"{"cofferdamTape":1,"title":"","entries":[],"redaction":{"fields":[],"types":[],"secrets":[]}}"#
                        .utf8
                )
            )
        )
        let error = try await #require(throws: TapeError.self) { try await player.store.value(for: "a") }
        #expect(error.message == "the tape is empty")
    }

    @Test func `parallel calls are each answered by their own entry`() async throws {
        let keys = (0..<100).map { "\($0)" }
        let tape = try await tape { store in
            for key in keys { try await store.set("value of \(key)", for: key) }
            for key in keys { _ = try await store.value(for: key) }
        }
        let player = try TapePlayer(tape)
        try await withThrowingTaskGroup { group in
            for key in keys.reversed() {
                group.addTask {
                    try await player.store.set("value of \(key)", for: key)
                    #expect(try await player.store.value(for: key) == "value of \(key)")
                }
            }
            try await group.waitForAll()
        }
        try player.finish()
    }
}
