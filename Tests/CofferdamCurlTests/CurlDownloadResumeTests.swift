#if Curl
import Cofferdam
import Foundation
import HTTPTypes
import Testing

@testable import CofferdamCurl

/// Downloads that are cut, and go on in the same call or in a later one.
@Suite(.timeLimit(.minutes(5)))
struct CurlDownloadResumeTests {
    private static let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
    private static let tag = "\"v1\""

    /// A server of one file. Each reply is as the next entry of the script says; the last entry stays.
    private final class FileServer: Sendable {
        struct Reply: Sendable, CustomTestStringConvertible {
            var testDescription: String { "a reply" }

            var content = CurlDownloadResumeTests.content
            /// The validators' lines.
            var validators = "ETag: \(CurlDownloadResumeTests.tag)\r\n"
            /// The bytes of the body that are sent before the connection ends; nil for all.
            var bytes: Int?
            /// The status of a reply to a range request whose If-Range matches.
            var status = 206
            /// The Content-Range of such a reply; nil for the right one.
            var contentRange: String?
            var more = ""
        }

        let server: ScriptedServer

        init(_ script: [Reply]) throws {
            let left = Mutex(script)
            server = try ScriptedServer { connection, request in
                let reply = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                Self.answer(request, reply, connection)
            }
        }

        private static func answer(_ request: ServerRequest, _ reply: Reply, _ connection: ServerConnection) {
            let first = request.head.firstMatch(of: /Range: bytes=([0-9]+)-/).flatMap { Int($0.1) }
            let isSame = request.head.firstMatch(of: /If-Range: (.*)/).map { reply.validators.contains($0.1) } ?? true
            var (status, body, more) = (200, reply.content[...], "")
            if let first, isSame, reply.status != 200 {
                status = reply.status
                body = status == 206 ? reply.content.dropFirst(first) : []
                let range = "bytes \(first)-\(reply.content.count - 1)/\(reply.content.count)"
                more = "Content-Range: \(reply.contentRange ?? range)\r\n"
            }
            connection.send(
                "HTTP/1.1 \(status) Said\r\nContent-Length: \(body.count)\r\n\(reply.validators)\(reply.more)\(more)\r\n"
            )
            connection.send(Array(body.prefix(reply.bytes ?? .max)))
            if reply.bytes != nil { connection.end() }
        }

        /// The Range of each request; "-" for none.
        var ranges: [String] {
            server.log.requests.map { $0.head.firstMatch(of: /Range: bytes=(.*)/).map { String($0.1) } ?? "-" }
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func files(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    }

    private func partSize(in folder: URL) throws -> Int {
        guard let part = try files(in: folder).first(where: { $0.hasSuffix(".part") }) else { return 0 }
        return try Data(contentsOf: folder.appending(path: part)).count
    }

    /// Changes the lines of the part's note: the title, the address, the validator, the total, the bytes on disk, the boot.
    private func editNote(in folder: URL, _ change: (inout [String]) -> Void) throws {
        let name = try #require(try files(in: folder).first { $0.hasSuffix("-note") })
        var lines = try String(contentsOf: folder.appending(path: name), encoding: .utf8).components(separatedBy: "\n")
        change(&lines)
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: name))
    }

    private func editPart(in folder: URL, _ content: some Sequence<UInt8>) throws {
        let name = try #require(try files(in: folder).first { $0.hasSuffix(".part") })
        try Data(content).write(to: folder.appending(path: name))
    }

    private static let policy = RetryPolicy.standard { $0.backoff = Backoff(initial: .zero, maximum: .zero) }

    /// Downloads in a client of its own, as another run of the program would.
    @discardableResult
    private func download(
        _ server: FileServer,
        to folder: URL,
        retry: RetryPolicy = .never,
        redirects: RedirectPolicy = .returned,
        path: String = "/file?key=secret",
        upTo limit: Int? = nil,
        method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = [:]
    ) async throws -> CurlReply {
        try await withClient { client in
            try await client.download(
                HTTPRequest(method, url: server.server.url + path, headerFields: fields),
                to: folder.appending(path: "file").path(),
                upTo: limit,
                options: client.options.with { ($0.retry, $0.redirects) = (retry, redirects) }
            )
        }
    }

    private func expectWhole(_ folder: URL, _ content: [UInt8] = content) throws {
        #expect(try files(in: folder) == ["file"])
        let isSame = try Data(contentsOf: folder.appending(path: "file")) == Data(content)
        #expect(isSame)
    }

    // MARK: In one call

    @Test(arguments: [[50_000], [50_000, 20_000], [1], [99_999]])
    func `the standard policy goes on where the body was cut`(cuts: [Int]) async throws {
        let server = try FileServer(cuts.map { .init(bytes: $0) } + [.init()])
        try await withFolder { folder in
            let reply = try await download(server, to: folder, retry: Self.policy)
            #expect(reply.head.status == .ok)
            #expect(reply.head.headerFields[.contentLength] == "100000")
            #expect(reply.head.headerFields[.contentRange] == nil)
            try expectWhole(folder)
            let offsets = cuts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }.dropFirst()
            #expect(server.ranges == ["-"] + offsets.map { "\($0)-" })
        }
    }

    @Test(
        arguments: [
            (
                "a date that is older than the reply",
                "Last-Modified: Thu, 26 Nov 2026 10:00:00 GMT\r\nDate: Fri, 27 Nov 2026 10:00:00 GMT\r\n", true
            ),
            (
                "a date of the same second",
                "Last-Modified: Fri, 27 Nov 2026 10:00:00 GMT\r\nDate: Fri, 27 Nov 2026 10:00:00 GMT\r\n", false
            ),
            ("a date without the reply's", "Last-Modified: Thu, 26 Nov 2026 10:00:00 GMT\r\n", false),
            ("a weak tag", "ETag: W/\"v1\"\r\n", false),
            (
                "a weak tag beside a date",
                "ETag: W/\"v1\"\r\nLast-Modified: Thu, 26 Nov 2026 10:00:00 GMT\r\nDate: Fri, 27 Nov 2026 10:00:00 GMT\r\n",
                false
            ),
            ("no validator", "", false), ("no ranges", "ETag: \"v1\"\r\nAccept-Ranges: none\r\n", false),
        ]
    )
    func `only a strong validator is asked to go on, and otherwise it begins anew`(
        what: String,
        validators: String,
        goesOn: Bool
    ) async throws {
        let server = try FileServer([.init(validators: validators, bytes: 50_000), .init(validators: validators)])
        try await withFolder { folder in
            try await download(server, to: folder, retry: Self.policy)
            try expectWhole(folder)
            #expect(server.ranges == ["-", goesOn ? "50000-" : "-"])
        }
    }

    // MARK: In two runs

    @Test func `a later run goes on, and until then the old file stays`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            try Data("before".utf8).write(to: folder.appending(path: "file"))
            let error = try await curlError { try await download(server, to: folder) }
            #expect(error.code == .truncated)
            #expect(try String(contentsOf: folder.appending(path: "file"), encoding: .utf8) == "before")
            #expect(try files(in: folder).count == 3)
            for name in try files(in: folder) {
                let bytes = try Data(contentsOf: folder.appending(path: name))
                #expect(bytes.firstRange(of: Data("secret".utf8)) == nil, "\(name)")
            }
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "60000-"])
        }
    }

    @Test func `a cancelled download keeps its part`() async throws {
        let slow = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nETag: \(Self.tag)\r\n\r\n")
            connection.send(Array(Self.content.prefix(60_000)))
            connection.waitForClientToClose()
        }
        try await withFolder { folder in
            try await withClient { client in
                let request = try HTTPRequest(.get, url: slow.url)
                let task = Task { try await client.download(request, to: folder.appending(path: "file").path()) }
                while try partSize(in: folder) == 0 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(try files(in: folder).map { $0.hasSuffix(".part") || $0.hasSuffix("-note") } == [true, true])
            #expect(try partSize(in: folder) > 0)
        }
    }

    @Test(
        arguments: [
            (
                "the body has changed",
                FileServer.Reply(content: Array(content.reversed()), validators: "ETag: \"v2\"\r\n")
            ),
            ("the server ignores the range", FileServer.Reply(status: 200)),
            ("the range is past the end", FileServer.Reply(status: 416, contentRange: "bytes */100000")),
        ]
    )
    private func `it begins anew if the server says so`(what: String, next: FileServer.Reply) async throws {
        let server = try FileServer([.init(bytes: 60_000), next])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let reply = try await download(server, to: folder)
            #expect(reply.head.status == .ok)
            try expectWhole(folder, next.content)
        }
    }

    @Test(
        arguments: [
            ("another start", FileServer.Reply(contentRange: "bytes 59999-99999/100000")),
            ("another total", FileServer.Reply(contentRange: "bytes 60000-99999/100001")),
            ("no range", FileServer.Reply(contentRange: "bytes */100000")),
            ("nonsense", FileServer.Reply(contentRange: "bytes=60000-99999/100000")),
            ("an unknown total", FileServer.Reply(contentRange: "bytes 60000-99999/*")),
            ("a sign", FileServer.Reply(contentRange: "bytes +60000-99999/100000")),
            ("another tag", FileServer.Reply(validators: "ETag: \"v2\"\r\nX-Old: \"v1\"\r\n")),
            ("a coding", FileServer.Reply(more: "Content-Encoding: gzip\r\n")),
        ]
    )
    private func `a part of something else is an error, and nothing of it is used`(
        what: String,
        next: FileServer.Reply
    ) async throws {
        let server = try FileServer([.init(bytes: 60_000), next, .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let error = try await curlError { try await download(server, to: folder) }
            #expect(error.code == .protocol, "\(error)")
            #expect(try files(in: folder) == [])
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "60000-", "-"])
        }
    }

    @Test func `a part with another date is an error`() async throws {
        func dates(_ hour: Int) -> String {
            "Last-Modified: Thu, 26 Nov 2026 \(hour):00:00 GMT\r\nDate: Fri, 27 Nov 2026 10:00:00 GMT\r\n"
        }
        let other = FileServer.Reply(validators: dates(11) + "X-Old: Thu, 26 Nov 2026 10:00:00 GMT\r\n")
        let server = try FileServer([.init(validators: dates(10), bytes: 60_000), other])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let error = try await curlError { try await download(server, to: folder) }
            #expect(error.code == .protocol, "\(error)")
            #expect(try files(in: folder) == [])
            #expect(server.ranges == ["-", "60000-"])
        }
    }

    // MARK: After a crash

    @Test(
        arguments: [
            ("the system crashed after the bytes were on disk", "another", 60_000, "60000-"),
            ("the system crashed before any byte was on disk", "another", 0, "-"),
            ("the system crashed, and the file is shorter than noted", "another", 1_000_000, "99999-"),
            ("the system does not say whether it crashed", "-", 50_000, "50000-"),
        ]
    )
    func `a size that the file system wrote before the bytes is not believed`(
        what: String,
        boot: String,
        synced: Int,
        range: String
    ) async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            try editPart(in: folder, Self.content.prefix(synced) + repeatElement(0, count: max(0, 100_000 - synced)))
            try editNote(in: folder) { $0[4...5] = ["\(synced)", boot] }
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", range])
        }
    }

    @Test func `a part whose program was killed is used as it is`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            try editNote(in: folder) { $0[4] = "0" }
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", SystemBoot.current == nil ? "-" : "60000-"])
        }
    }

    @Test func `the note vouches for what is on disk, every 16 MB and when the download ends`() async throws {
        let size = 20 << 20
        let gate = Gate()
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(2 * size)\r\nETag: \(Self.tag)\r\n\r\n")
            connection.send([UInt8](repeating: 1, count: size))
            gate.block()
            connection.end()
        }
        try await withFolder { folder in
            func vouched() throws -> Int {
                guard let name = try files(in: folder).first(where: { $0.hasSuffix("-note") }) else { return 0 }
                let note = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                return DownloadProgress(note: note)?.synced ?? 0
            }
            try await withClient { client in
                let request = try HTTPRequest(.get, url: server.url)
                let task = Task { try await client.download(request, to: folder.appending(path: "file").path()) }
                while try partSize(in: folder) < size { await Task.yield() }
                while try vouched() == 0 { await Task.yield() }
                #expect(try (16 << 20..<size).contains(vouched()))
                gate.open()
                #expect(try await curlError { try await task.value }.code == .truncated)
            }
            #expect(try vouched() == size)
        }
    }

    // MARK: Redirects

    /// A server that sends each request on to the next of these addresses.
    private func redirecting(to urls: [String]) throws -> ScriptedServer {
        let left = Mutex(urls)
        return try ScriptedServer { connection, _ in
            let url = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            connection.send("HTTP/1.1 302 Found\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    private func download(_ server: ScriptedServer, to folder: URL) async throws {
        try await withClient { client in
            _ = try await client.download(
                HTTPRequest(.get, url: server.url),
                to: folder.appending(path: "file").path(),
                options: client.options.with { $0.redirects = .followed() }
            )
        }
    }

    @Test(arguments: [true, false])
    func `a part belongs to the address that gave it, behind a redirect`(isSame: Bool) async throws {
        let first = try FileServer([.init(bytes: 60_000), .init()])
        // With the same tag.
        let second = try FileServer([.init(content: Self.content.reversed())])
        let front = try redirecting(to: [first.server.url, isSame ? first.server.url : second.server.url])
        try await withFolder { folder in
            _ = try await curlError { try await download(front, to: folder) }
            try await download(front, to: folder)
            try expectWhole(folder, isSame ? Self.content : Self.content.reversed())
            #expect(!front.log.requests.contains { $0.head.contains("Range") })
            #expect(first.ranges == (isSame ? ["-", "60000-"] : ["-"]))
            #expect(second.ranges == (isSame ? [] : ["-"]))
        }
    }

    @Test func `a request for the rest that is redirected begins anew`() async throws {
        let other = try FileServer([.init(content: Self.content.reversed())])
        let hasBegun = Mutex(false)
        let server = try ScriptedServer { connection, _ in
            let isFirst = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return !hasBegun
            }
            let head = isFirst ? "200 OK\r\nETag: \(Self.tag)" : "302 Found\r\nLocation: \(other.server.url)"
            connection.send("HTTP/1.1 \(head)\r\nContent-Length: \(isFirst ? 100_000 : 0)\r\n\r\n")
            guard isFirst else { return }
            connection.send(Array(Self.content.prefix(60_000)))
            connection.end()
        }
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            try await download(server, to: folder)
            try expectWhole(folder, Self.content.reversed())
            #expect(server.log.requests.map { $0.head.contains("Range: bytes=60000-") } == [false, true])
            #expect(other.ranges == ["-"])
        }
    }

    @Test func `a part that ends before the end goes on`() async throws {
        let short = FileServer.Reply(
            content: Array(Self.content.prefix(80_000)),
            contentRange: "bytes 60000-79999/100000"
        )
        let server = try FileServer([.init(bytes: 60_000), short, .init()])
        try await withFolder { folder in
            try await download(server, to: folder, retry: Self.policy)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "60000-", "80000-"])
        }
    }

    @Test func `another address, method or range of the caller's begins anew`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            try await download(server, to: folder, path: "/other")
            try expectWhole(folder)
            try await download(server, to: folder, [.range: "bytes=99990-"])
            try expectWhole(folder, Array(Self.content.suffix(10)))
            #expect(server.ranges == ["-", "-", "99990-"])
        }
    }

    @Test func `a part that has all bytes has its last one confirmed`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            try editPart(in: folder, Self.content)
            try editNote(in: folder) { $0[4] = "100000" }
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "99999-"])
        }
    }

    @Test(arguments: [
        "", "cofferdam download 1\n", "x\n1\n\"v1\"\n100000\n60000\n-\n",
        "cofferdam download 1\n1\n\"v1\"\n100000\n60000\n-\n",
    ])
    func `a note that is damaged or of another download is ignored`(note: String) async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let name = try #require(try files(in: folder).first { $0.hasSuffix("-note") })
            try Data(note.utf8).write(to: folder.appending(path: name))
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "-"])
        }
    }

    @Test func `a note that is cut at any byte is ignored, or is the whole note`() throws {
        let progress = try #require(DownloadProgress(note: "cofferdam download 1\n1z\n\"v1\"\n100000\n9\nboot\n"))
        #expect(DownloadProgress(note: progress.note) == progress)
        for count in 0..<progress.note.count {
            #expect(DownloadProgress(note: String(progress.note.prefix(count))) == nil)
        }
    }

    @Test func `a validator that is too long for a note leaves nothing`() async throws {
        let tag = "\"\(String(repeating: "v", count: 5_000))\""
        let server = try FileServer([.init(validators: "ETag: \(tag)\r\n", bytes: 60_000)])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            #expect(try files(in: folder) == [])
        }
    }

    @Test func `two downloads at once to one destination do not mix`() async throws {
        let other = Array(Self.content.reversed())
        let gate = Gate()
        let first = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nETag: \(Self.tag)\r\n\r\n")
            connection.send(Array(Self.content.prefix(60_000)))
            gate.block()
            connection.send(Array(Self.content.dropFirst(60_000)))
        }
        let second = try FileServer([.init(content: other, validators: "ETag: \"v9\"\r\n")])
        try await withFolder { folder in
            try await withClient { client in
                let request = try HTTPRequest(.get, url: first.url)
                let task = Task { try await client.download(request, to: folder.appending(path: "file").path()) }
                while try !files(in: folder).contains(where: { $0.hasSuffix("-note") }) { await Task.yield() }
                try await download(second, to: folder)
                let isOther = try Data(contentsOf: folder.appending(path: "file")) == Data(other)
                #expect(isOther)
                gate.open()
                _ = try await task.value
            }
            try expectWhole(folder)
        }
    }

    @Test func `a part that another user could have put there is not used`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let part = try #require(try files(in: folder).first { $0.hasSuffix(".part") })
            let path = folder.appending(path: part).path()
            try FileManager.default.moveItem(atPath: path, toPath: folder.appending(path: "elsewhere").path())
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
            try await download(server, to: folder)
            #expect(server.ranges == ["-", "-"])
            let isWhole = try Data(contentsOf: folder.appending(path: "file")) == Data(Self.content)
            #expect(isWhole)
            #expect(try Data(contentsOf: folder.appending(path: "elsewhere")).count == 60_000)
        }
    }

    @Test func `a body over the limit leaves no part, also when it went on`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            let error = try await curlError { try await download(server, to: folder, upTo: 80_000) }
            #expect(error.code == .tooLarge)
            #expect(try files(in: folder) == [])
        }
    }

    @Test func `a compressed body begins anew`() async throws {
        // gzip -n of 3 bytes, sent with a cut.
        let coded: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 75, 76, 74, 6, 0, 194, 65, 36, 53, 3, 0, 0, 0]
        let gzip = "Content-Encoding: gzip\r\n"
        let server = try FileServer([.init(content: coded, bytes: 15, more: gzip), .init(content: coded, more: gzip)])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            #expect(try files(in: folder) == [])
            try await download(server, to: folder)
            try expectWhole(folder, Array("abc".utf8))
            #expect(server.ranges == ["-", "-"])
        }
    }

    @Test func `a refusal in between leaves the part`() async throws {
        let server = try FileServer([.init(bytes: 60_000), .init(status: 503), .init()])
        try await withFolder { folder in
            _ = try await curlError { try await download(server, to: folder) }
            #expect(try await download(server, to: folder).head.status.code == 503)
            try await download(server, to: folder)
            try expectWhole(folder)
            #expect(server.ranges == ["-", "60000-", "60000-"])
        }
    }

    @Test(
        arguments: [
            ("bytes 0-0/1", ContentRange(first: 0, last: 0, total: 1)),
            ("bytes 5-9/*", ContentRange(first: 5, last: 9)),
            ("BYTES 5-9/10", ContentRange(first: 5, last: 9, total: 10)), ("bytes 9-5/10", nil), ("bytes 5-9/9", nil),
            ("bytes 5-/9", nil), ("bytes 5-9", nil), ("items 5-9/10", nil), ("bytes 5-9/10/11", nil), ("", nil),
            ("bytes 5-99999999999999999999/*", nil), ("bytes */10", nil),
        ] as [(String, ContentRange?)]
    )
    func `Content-Range is read as RFC 9110 writes it`(text: String, range: ContentRange?) {
        #expect(ContentRange(text) == range)
    }
}
#endif
