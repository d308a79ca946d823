#if Curl
import HTTPTypes
import Testing

@testable import CofferdamCurl

/// A parser remembers the last head; that must not change what it finds in the next one.
@Suite struct HeadParserTests {
    private struct Outcome: Equatable {
        var head: HTTPResponse?
        var version: String?
        var length: Int?
        var isChunked: Bool?
        var codings: ContentCodings?
        var error: CurlError.Code?
    }

    private static let base = ["HTTP/1.1 200 OK\r\n", "Server: a\r\n", "Content-Length: 5\r\n", "X-A: 1\r\n", "\r\n"]
    private static let heads: [[String]] = [
        base,
        // Its beginning, and more than it.
        Array(base[..<3]) + ["\r\n"],
        Array(base[..<4]) + ["X-B: 2\r\n", "\r\n"],
        // A line differs: the first, one in between, the last, the end of one.
        ["HTTP/1.1 404 Not Found\r\n"] + base[1...],
        ["HTTP/1.1 200 OK\r\n", "Server: b\r\n"] + base[2...],
        Array(base[..<3]) + ["X-A: 2\r\n", "\r\n"],
        Array(base[..<3]) + ["X-A: 1\n", "\r\n"],
        Array(base[..<3]) + ["X-A: 1", "\r\n"],
        // A line is missing, is there twice, goes on.
        [base[0]] + base[2...],
        Array(base[..<4]) + base[3...],
        Array(base[..<4]) + [" more\r\n", "\r\n"],
        ["HTTP/1.1 103 Early Hints\r\n", "X-A: 1\r\n", "\r\n"] + base,
        ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "\r\n"],
        ["HTTP/2 200\r\n", "\r\n"],
        // Refused, or not complete.
        Array(base[..<2]) + ["\r\r\n", "\r\n"],
        Array(base[..<2]) + base,
        Array(base[..<3]),
        ["\r\n"],
    ]

    private func parse(_ lines: [String], by parser: HeadParser = HeadParser(maximumSize: 0)) -> Outcome {
        parser.reset(maximumSize: 1000)
        var failure: CurlError.Code?
        for line in lines where failure == nil {
            Array(line.utf8).withUnsafeBytes { line in
                do throws(CurlError) { try parser.take(line) } catch { failure = error.code }
            }
        }
        return Outcome(
            head: parser.head,
            version: parser.complete?.version,
            length: parser.complete?.framing.length,
            isChunked: parser.complete?.framing.isChunked,
            codings: parser.complete?.codings,
            error: failure
        )
    }

    @Test(arguments: heads)
    func `A head is the same whatever was read before it`(head: [String]) {
        let alone = parse(head)
        for earlier in Self.heads {
            let parser = HeadParser(maximumSize: 0)
            _ = parse(Self.base, by: parser)
            _ = parse(earlier, by: parser)
            #expect(parse(head, by: parser) == alone, "after \(earlier)")
            #expect(parse(head, by: parser) == alone, "again, after \(earlier)")
        }
    }

    @Test func `A repeated head is limited in size like any other`() {
        let parser = HeadParser(maximumSize: 0)
        #expect(parse(Self.base, by: parser).head != nil)
        parser.reset(maximumSize: 30)
        var lines: [CurlError.Code?] = []
        for line in Self.base {
            Array(line.utf8).withUnsafeBytes { line in
                do throws(CurlError) {
                    try parser.take(line)
                    lines.append(nil)
                } catch { lines.append(error.code) }
            }
        }
        #expect(lines == [nil, nil, .tooLarge, .tooLarge, .tooLarge])
        #expect(parser.head == nil)
    }
}
#endif
