import Cofferdam
import CofferdamContracts
import Foundation
import Testing

@Suite struct TapeFidelityTests {
    enum Answer: Sendable {
        case value(String?)
        case failure(String)

        var answer: ScriptedStore.Answer {
            switch self {
            case .value(let value): { value }
            case .failure(let code): { throw StoreError(code: code) }
            }
        }
    }

    @Test(arguments: [
        Answer.value("value"), .value(nil), .value(""), .value("é \" \\ / \u{0} \u{2028} 🦄"), .failure("gone"),
    ])
    func `TAPE-06: values, empty ones, nothing and failures come back as they were`(_ scripted: Answer) async throws {
        let answer = scripted.answer
        let written = try await tape(of: ScriptedStore([answer, answer])) { store in
            _ = await outcome { try await store.value(for: "a") }
            _ = await outcome { try await store.set("", for: "") }
        }
        let tape = try Tape(json: written.json())
        #expect(tape == written)
        let player = try TapePlayer(tape)
        #expect(await outcome { try await player.store.value(for: "a") } == outcome { try await answer() })
        let set = await outcome { try await player.store.set("", for: "") }
        let original = await outcome { _ = try await answer() }
        #expect(set == original)
        try player.finish()
    }

    @Test func `TAPE-06: an error without a record is replayed with its type and its text`() async throws {
        let tape = try await tape(of: ScriptedStore([{ throw Broken() }])) { store in
            _ = await outcome { try await store.value(for: "a") }
        }
        let player = try TapePlayer(tape)
        let error = await #expect(throws: TapedError.self) { try await player.store.value(for: "a") }
        #expect(error?.description == "Broken: Broken()")
    }

    @Test func `TAPE-06: bytes of all values go in and out, as base64`() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        let recorder = try TapeRecorder(environment: [:])
        _ = try await recorder.port(0).call("upload", ["bytes": bytes]) { _ in bytes }
        let tape = try Tape(json: recorder.finish().json())
        let text = String(decoding: try tape.json(), as: UTF8.self)
        #expect(text.components(separatedBy: bytes.base64EncodedString()).count == 3)
        let player = try TapePlayer(tape)
        #expect(try await player.port(of: Int.self).call("upload", ["bytes": bytes]) { _ in Data() } == bytes)
    }

    struct Numbers: Codable, Hashable, Sendable {
        var integers: [Int64] = [.min, -1, 0, 1, 9_007_199_254_740_993, .max]
        var unsigned: [UInt64] = [.max]
        var doubles: [Double] = [
            0.1, -2.5, 1e16, 1e20, 1e-300, 1.7976931348623157e308, .infinity, -.infinity, .leastNonzeroMagnitude, 3,
        ]
        var decimals: [Decimal] = ["12345678901234567890.123456789", "0.30", "-1"].compactMap { Decimal(string: $0) }
        var date = Date(timeIntervalSinceReferenceDate: 123_456_789.123456)
        var url = URL(string: "https://example.com/a?b=%20c")
        var data = Data([0, 255])
        var keys = [1: "one", 12: "twelve"]
        var truth = [true, false, nil]
    }

    @Test func `numbers, dates and addresses are exact, and a tape is the same after it was read`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        _ = try await recorder.port(0).call("numbers", ["numbers": Numbers()]) { _ in Numbers() }
        let written = try recorder.finish()
        let tape = try Tape(json: written.json())
        #expect(tape == written)
        let player = try TapePlayer(tape)
        #expect(
            try await player.port(of: Int.self).call("numbers", ["numbers": Numbers()]) { _ in Numbers(date: .now) }
                == Numbers()
        )
    }

    @Test func `a value that is not Codable has a record, also in lists and optionals`() async throws {
        struct Price: Hashable { var cents: Int }
        struct PriceRecord: TapeRecord {
            var cents: Int
            init(_ price: Price) { cents = price.cents }
            var value: Price {
                get throws {
                    if cents < 0 { throw StoreError(code: "negative") }
                    return Price(cents: cents)
                }
            }
        }
        let recorder = try TapeRecorder(environment: [:])
        let port = recorder.port(0)
        _ = try await port.call("list", as: [PriceRecord].self) { _ in [Price(cents: 1), Price(cents: 2)] }
        _ = try await port.call("none", as: PriceRecord?.self) { _ in nil }
        let player = try TapePlayer(try recorder.finish()).port(of: Int.self)
        #expect(try await player.call("list", as: [PriceRecord].self) { _ in [] }.map(\.cents) == [1, 2])
        #expect(try await player.call("none", as: PriceRecord?.self) { _ in Price(cents: 1) } == nil)
    }

    @Test func `what cannot be recorded is reported at the end, and changes nothing for the caller`() async throws {
        struct Stubborn: Codable, Sendable {
            func encode(to encoder: any Encoder) throws { throw Broken() }
        }
        let recorder = try TapeRecorder(environment: [:])
        #expect(try await recorder.port(0).call("argument", ["value": Stubborn()]) { _ in 1 } == 1)
        _ = try await recorder.port(0).call("result") { _ in Stubborn() }
        let error = #expect(throws: TapeError.self) { try recorder.finish() }
        #expect(error?.code == .unrecordable && error?.subject == "argument.arguments")
    }

    @Test func `a tape of another type says what was expected, and where`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        _ = try await recorder.port(0).call("list") { _ in [["a": 1], ["a": 2]] }
        let player = try TapePlayer(try recorder.finish())
        let error = try await #require(throws: TapeError.self) {
            try await player.port(of: Int.self).call("list") { _ in [["a": "text"]] }
        }
        #expect(error.code == .unreadable && error.subject == "list")
        #expect(error.message.contains("[0].a"), "\(error)")
    }

    @Test func `calls after the end are not recorded`() async throws {
        let recorder = try TapeRecorder(environment: [:])
        let port = recorder.port(0)
        try await port.call("before") { _ in }
        let tape = try recorder.finish()
        try await port.call("after") { _ in }
        #expect(try recorder.finish() == tape)
        #expect(tape.operations == ["before"])
    }
}
