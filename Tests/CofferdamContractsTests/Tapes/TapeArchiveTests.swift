import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing
import TestSupport

/// The fields that HAR 1.2 requires. A file that does not decode as this is not an archive.
private struct Archive: Decodable {
    struct Log: Decodable {
        var version: String
        var creator: Creator
        var entries: [Entry]
    }
    struct Creator: Decodable { var name, version: String }
    struct Entry: Decodable {
        var startedDateTime: String
        var time: Double
        var request: Request
        var response: Response
        var cache: [String: String]
        var timings: Timings
    }
    struct Request: Decodable {
        var method, url, httpVersion: String
        var cookies, headers, queryString: [Field]
        var postData: PostData?
        var headersSize, bodySize: Int
    }
    struct Response: Decodable {
        var status: Int
        var statusText, httpVersion, redirectURL: String
        var cookies, headers: [Field]
        var content: Content
        var headersSize, bodySize: Int
    }
    struct Field: Decodable { var name, value: String }
    struct PostData: Decodable { var mimeType, text: String }
    struct Content: Decodable {
        var size: Int
        var mimeType: String
        var text: String?
    }
    struct Timings: Decodable { var send, wait, receive: Double }

    var log: Log
}

@Suite struct TapeArchiveTests {
    private func archive() async throws -> (json: String, entries: [Archive.Entry]) {
        let clock = TestClock()
        let recorder = try TapeRecorder("a test", clock: clock, environment: [:])
        let port = recorder.port(0, errors: StoreError.self)
        _ = try await port.call("find", ["id": "a b", "limit": 2], kind: .read) { _ in
            clock.advance(by: .milliseconds(1500))
            return ["ä"]
        }
        try await port.call("place order/now", ["body": "é"]) { _ in }
        _ = await outcome { try await port.call("fail") { _ in throw StoreError(code: "gone") } }
        _ = await outcome { try await port.call("cancel", kind: .read) { _ in throw CancellationError() } }
        let clean = BufferWatching()
        var changes = Intercepted<any Watching>(clean, by: [recorder.interceptor()]).changes(of: "a")
            .makeAsyncIterator()
        clock.advance(by: .seconds(1))
        clean.send("one")
        _ = try await changes.next(isolation: nil)
        clock.advance(by: .seconds(1))
        clean.buffer.finish(throwing: Broken())
        _ = await outcome { try await changes.next(isolation: nil) }
        let json = try recorder.finish().httpArchive(startingAt: 1_700_000_000_000)
        let archive = try JSONDecoder().decode(Archive.self, from: Data(json))
        #expect(archive.log.version == "1.2" && archive.log.creator.name == "Cofferdam")
        return (String(decoding: json, as: UTF8.self), archive.log.entries)
    }

    @Test func `an archive has all that HAR 1.2 requires, and the recorded calls`() async throws {
        let entries = try await archive().entries
        #expect(entries.map(\.request.method) == ["GET", "POST", "POST", "GET", "GET"])
        #expect(entries.map(\.response.status) == [200, 200, 500, 0, 500])
        #expect(
            entries.map(\.request.url) == [
                "https://tape.invalid/find", "https://tape.invalid/place%20order%2Fnow", "https://tape.invalid/fail",
                "https://tape.invalid/cancel", "https://tape.invalid/changes",
            ]
        )
        #expect(entries[0].request.queryString.map { "\($0.name)=\($0.value)" } == ["id=\"a b\"", "limit=2"])
        #expect(entries[1].request.postData?.text == #"{"body":"é"}"# && entries[1].request.bodySize == 13)
        #expect(entries[0].response.content.text == "[\"ä\"]" && entries[0].response.content.size == 6)
        #expect(entries[2].response.statusText == "StoreError")
        #expect(entries[2].response.content.text?.contains("gone") == true)
        #expect(entries[4].response.content.text?.contains("\"value\":\"one\"") == true)
    }

    @Test func `times are those of the tape: dates in ISO 8601, durations in milliseconds`() async throws {
        let entries = try await archive().entries
        #expect(entries[0].startedDateTime == "2023-11-14T22:13:20.000Z" && entries[0].time == 1500)
        #expect(entries[1].startedDateTime == "2023-11-14T22:13:21.500Z")
        #expect(entries[4].time == 2000 && entries[4].timings.wait == 1000 && entries[4].timings.receive == 1000)
        for entry in entries {
            // By the specification, the parts add up to the total.
            #expect(entry.timings.send + entry.timings.wait + entry.timings.receive == entry.time)
        }
    }

    @Test func `an archive is the same each time`() async throws {
        #expect(try await archive().json == archive().json)
    }
}
