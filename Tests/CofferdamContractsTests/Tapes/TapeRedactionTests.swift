import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing
import TestSupport

@Suite struct TapeRedactionTests {
    private struct Password: Codable, Sendable { var text = "tiger" }

    private struct SignIn: Codable, Sendable {
        var user = "amara"
        var passwords = [Password()]
        var codes = ["first": 17]
    }

    private struct Session: Codable, Hashable, Sendable {
        var token = "t0k3n"
        var isValid = true
        var history: [String?] = ["older", nil]
    }

    private struct TextError: Error, CustomStringConvertible { var description: String }

    /// Makes one call, all of which must be hidden.
    private func signIn(_ port: TapedPort<Int>, _ signIn: SignIn = SignIn()) async throws -> Session {
        try await port.call("accounts.signIn", ["request": signIn]) { _ in Session() }
    }

    private func record(_ redaction: TapeRedaction) async throws -> Tape {
        let recorder = try TapeRecorder(redaction: redaction, clock: TestClock(), environment: [:])
        _ = try await signIn(recorder.port(0))
        return try recorder.finish()
    }

    @Test func `TAPE-05: fields are redacted by the end of their path, in arguments and in results, shape kept`()
        async throws
    {
        let patterns: [(String, String, Session)] = [
            ("token", #""token" : "[redacted]""#, Session(token: "[redacted]")),
            ("accounts.signIn.result.history[*]", #""[redacted]","#, Session(history: ["[redacted]", nil])),
            (
                "result.*", #""isValid" : false"#,
                Session(token: "[redacted]", isValid: false, history: ["[redacted]", nil])
            ),
            ("codes.first", #""first" : 0"#, Session()),
            ("passwords[0]", #""text" : "[redacted]""#, Session()),
        ]
        for (pattern, expected, session) in patterns {
            let tape = try await record(TapeRedaction().field(pattern))
            #expect(String(decoding: try tape.json(), as: UTF8.self).contains(expected), "\(pattern)")
            // Matches without the redaction, which is on the tape.
            #expect(try await signIn(TapePlayer(tape).port()) == session, "\(pattern)")
        }
    }

    @Test func `TAPE-05: a pattern matches whole names, and changes no other field`() async throws {
        let plain = try await record(TapeRedaction())
        for pattern in ["oken", "result.first", "arguments.token", "history[5]", "[*].text.more", ""] {
            let tape = try await record(TapeRedaction().field(pattern))
            #expect(tape.entries == plain.entries, "\(pattern)")
        }
    }

    @Test func `TAPE-05: values are redacted by their type, wherever they are`() async throws {
        let tape = try await record(TapeRedaction().type(Password.self).type(Bool.self))
        let text = String(decoding: try tape.json(), as: UTF8.self)
        #expect(!text.contains("tiger") && text.contains("amara"))
        var other = SignIn()
        other.passwords[0].text = "another one"
        #expect(try await signIn(TapePlayer(tape).port(), other) == Session(isValid: false))
    }

    @Test func `TAPE-05: known secrets are replaced by their name, in keys and texts, errors and titles`() async throws
    {
        let redaction = TapeRedaction().secret("password", "pä/ss\"w").secret("part", "pä")
        let recorder = try TapeRecorder("of pä/ss\"w", redaction: redaction, clock: TestClock(), environment: [:])
        let port = recorder.port(0)
        let secret = "pä/ss\"w"
        _ = try await port.call(
            "send \(secret)",
            ["a \(secret) b": secret, "a [redacted password] b": "\(secret)\u{301}"]
        ) {
            _ in ["p%C3%A4%2Fss%22w", "p%c3%a4%2fss%22w", "70c3a42f73732277", "70C3A42F73732277", "pä"]
        }
        _ = await outcome { try await port.call("fail") { _ in throw TextError(description: "is \(secret)!") } }
        let tape = try recorder.finish()
        let text = String(decoding: try tape.json(), as: UTF8.self)
        #expect(!text.contains("pä") && !text.contains("%"))
        #expect(tape.title == "of [redacted password]" && tape.operations == ["send [redacted password]", "fail"])
        // The secret may differ when the tape is replayed.
        let player = try TapePlayer(
            tape,
            redaction: TapeRedaction().secret("password", "dummy").secret("part", "other")
        )
        let replayed = player.port(of: Int.self)
        let result = try await replayed.call(
            "send dummy",
            ["a dummy b": "dummy", "a [redacted password] b": "dummy\u{301}"]
        ) { _ in [""] }
        #expect(result.filter { $0 == "[redacted password]" }.count == 4)
        #expect(result.last == "[redacted part]")
        #expect(
            await outcome { try await replayed.call("fail") { _ in } } == "threw TextError: is [redacted password]!"
        )
        try player.finish()
    }

    @Test func `TAPE-05: a secret that the replay does not name is an error, not a difference that shows it`()
        async throws
    {
        let tape = try await record(TapeRedaction().secret("token", "t0k3n"))
        let error = #expect(throws: TapeError.self) { try TapePlayer(tape) }
        #expect(error?.code == .secret && error?.subject == "token")
    }

    @Test func `TAPE-05: a difference shows no secret`() async throws {
        let redaction = TapeRedaction().type(Password.self).secret("user", "amara")
        let player = try TapePlayer(try await record(redaction), redaction: TapeRedaction().secret("user", "kenji"))
        var other = SignIn(user: "kenji", passwords: [Password(text: "lion"), Password(text: "lion")])
        other.codes = ["kenji": 1]
        let error = try await #require(throws: TapeError.self) { try await signIn(player.port(), other) }
        #expect(error.message.contains("passwords[1]") && error.message.contains("[redacted user]"))
        #expect(!error.message.contains("lion") && !error.message.contains("kenji"))
    }

    /// Forms of a secret that redaction does not know, or cannot replace without breaking the surrounding text.
    @Test(arguments: [
        Data("tiger!?>sand".utf8).base64EncodedString(), Data("1tiger!?>sand".utf8).base64EncodedString(),
        Data("12tiger!?>sand3".utf8).base64EncodedString(),
        Data("12tiger!?>sand3".utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_"),
        "%74%69%67%65%72%21%3F%3e%73%61%6e%64", "tiger%21?%3Esand", "7469676572213F3e73616E64",
    ])
    func `TAPE-05: a known secret in another form is found in the finished tape, and nothing is written`(
        _ form: String
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let location = TapeLocation(directory: path.path, test: "test")
        let secret = "tiger!?>sand"
        let options = TapeOptions.defaults {
            $0.redaction = TapeRedaction().secret("password", secret)
            $0.environment = [:]
        }
        let error = try await #require(throws: TapeError.self) {
            try await withTape(location, .record, options: options) { session in
                let say = PortOperation<Int, Void, String>("say", .read) { _ in "before " + form + " after" }.recorded()
                return try await session.intercepted { 0 }.call(say, ())
            }
        }
        #expect(error.code == .secret && error.subject == "password")
        #expect(!"\(error)".contains(secret) && !"\(error)".contains(form))
        #expect(!FileManager.default.fileExists(atPath: path.path))
    }

    @Test func `TAPE-05: a number that is a secret is found, and a binary payload that holds it`() async throws {
        for value in [true, false] {
            let recorder = try TapeRecorder(redaction: TapeRedaction().secret("pin", "271828"), environment: [:])
            if value {
                _ = try await recorder.port(0).call("pin") { _ in 271828 }
            } else {
                _ = try await recorder.port(0).call("picture") { _ in Data([0, 255] + Array("271828".utf8) + [7]) }
            }
            #expect(#expect(throws: TapeError.self) { try recorder.finish() }?.code == .secret)
        }
    }

    @Test func `an empty secret hides nothing`() async throws {
        let tape = try await record(TapeRedaction().secret("none", ""))
        #expect(try await signIn(TapePlayer(tape).port()) == Session())
    }

    @Test func `two keys that become the same are kept apart`() async throws {
        let redaction = TapeRedaction().secret("name", "amara").secret("name", "kenji")
        let recorder = try TapeRecorder(redaction: redaction, environment: [:])
        _ = try await recorder.port(0).call("ages") { _ in ["amara": 1, "kenji": 2] }
        let port = try TapePlayer(try recorder.finish(), redaction: redaction).port(of: Int.self)
        #expect(try await port.call("ages") { _ in ["": 0] } == ["[redacted name]": 1, "[redacted name] 2": 2])
    }
}
