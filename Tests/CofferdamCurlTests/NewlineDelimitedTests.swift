#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

struct NewlineDelimitedParserTests {
    static let streams: [(name: String, text: String, lines: [String])] = [
        ("nothing", "", []),
        ("one", "a\n", ["a"]),
        ("a last line without an end", "a\nb", ["a", "b"]),
        ("both line ends", "a\r\nbc\nd\r\n", ["a", "bc", "d"]),
        ("empty lines", "\n\r\na\n\n\r\n\nb\n\n", ["a", "b"]),
        ("a carriage return within a line", "a\rb\n\r\r\n", ["a\rb", "\r"]),
        ("a carriage return at the end", "a\r", ["a"]),
        ("a carriage return alone", "\r", []),
        ("blanks are no empty line", " \n", [" "]),
        ("text beyond ASCII", "{\"é\":\"🦒\"}\n", ["{\"é\":\"🦒\"}"]),
    ]

    @Test(arguments: streams.indices)
    func `Reads the lines, split at every position and at all of them`(index: Int) throws {
        let (name, text, lines) = Self.streams[index]
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            #expect(try Self.read([bytes[..<cut], bytes[cut...]]) == lines, "\(name), cut at \(cut)")
        }
        #expect(try Self.read(bytes.map { [$0] }) == lines, "\(name), byte by byte")
        // Not in contiguous memory.
        #expect(try Self.read([AnySequence(bytes)]) == lines, "\(name), as a sequence")
    }

    @Test(arguments: ["\n", "\r\n", ""])
    func `A line of the maximum size is read, split at every byte; a longer one is refused`(end: String) throws {
        let fits = Array(("abcd" + end).utf8)
        let exceeds = Array(("abcde" + end).utf8)
        for cut in 0...fits.count {
            #expect(try Self.read([fits[..<cut], fits[cut...]], maximumLineSize: 4) == ["abcd"])
        }
        for cut in 0...exceeds.count {
            let error = try #require(throws: CurlError.self) {
                try Self.read([exceeds[..<cut], exceeds[cut...]], maximumLineSize: 4)
            }
            #expect(error.code == .tooLarge)
        }
    }

    private static func read(_ blocks: [some Sequence<UInt8>], maximumLineSize: Int = 100) throws -> [String] {
        var parser = NewlineDelimitedParser(maximumLineSize: maximumLineSize)
        var lines = try blocks.flatMap { try parser.feed($0) }
        if let last = try parser.finish() { lines.append(last) }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct NewlineDelimitedBodyTests {
    private struct NoNumber: Error {}

    private static let decode: @Sendable ([UInt8]) throws -> Int = { line in
        guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw NoNumber() }
        return number
    }

    private static func head(_ fields: String = "") -> String { "HTTP/1.1 200 OK\r\n\(fields)\r\n" }

    @Test func `Values arrive one by one, split at every byte, the last without a line end`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head())
            for byte in "1\n22\r\n\n333".utf8 { connection.send([byte]) }
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var values: [Int] = []
            for try await value in stream.body.newlineDelimitedJSON(decode: Self.decode) { values.append(value) }
            #expect(values == [1, 22, 333])
        }
    }

    @Test func `A value arrives before the body's end`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head() + "1\n2")
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var values = stream.body.newlineDelimitedJSON(decode: Self.decode).makeAsyncIterator()
            #expect(try await values.next() == 1)
        }
    }

    @Test func `An invalid line is named by its number, and not by its content`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head() + "1\n\n2\r\nprivate\n4\n")
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var values = stream.body.newlineDelimitedJSON(decode: Self.decode).makeAsyncIterator()
            #expect(try await values.next() == 1)
            #expect(try await values.next() == 2)
            let error = try await curlError { try await values.next() }
            #expect(error.code == .protocol)
            #expect(error.message == "line 4 of the body could not be decoded")
            #expect(try await values.next() == nil)
        }
    }

    @Test func `An invalid line ends the transfer, though the body is still referenced`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head() + "1\nprivate\n")
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var values = stream.body.newlineDelimitedJSON(decode: Self.decode).makeAsyncIterator()
            #expect(try await values.next() == 1)
            let error = try await curlError { try await values.next() }
            #expect(error.code == .protocol)
            #expect(await client.census().transfersInFlight == 0)
            #expect(try await values.next() == nil)
            withExtendedLifetime(stream) {}
        }
    }

    @Test func `A truncated body delivers the complete lines, then the transfer's failure`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head("Content-Length: 100\r\n") + "a\nb\ncut")
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var lines = stream.body.lines().makeAsyncIterator()
            #expect(try await lines.next() == Array("a".utf8))
            #expect(try await lines.next() == Array("b".utf8))
            let error = try await curlError { try await lines.next() }
            #expect(error.code == .truncated)
            #expect(try await lines.next() == nil)
        }
    }

    @Test func `A line that is too long is refused after those before it, and ends the transfer`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.head() + "1\n22\n333")
            connection.waitForClientToClose()
        }
        try await withClient { client in
            var lines = try await client.stream(HTTPRequest(.get, url: server.url)).body.lines(maximumSize: 2)
                .makeAsyncIterator()
            #expect(try await lines.next() == Array("1".utf8))
            #expect(try await lines.next() == Array("22".utf8))
            let error = try await curlError { try await lines.next() }
            #expect(error.code == .tooLarge)
            await server.until { $0.closedByClient == 1 }
            #expect(try await lines.next() == nil)
        }
    }
}
#endif
