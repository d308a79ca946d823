#if Curl
import CofferdamCurl
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlDownloadTests {
    /// A folder for this test, with `file` in it.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "cofferdam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func files(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    }

    @Test func `A body is written to its file byte for byte, and the file is readable`() async throws {
        let content = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = try ScriptedServer { connection, _ in connection.reply(content) }
        try await withFolder { folder in
            try await withClient { client in
                let file = folder.appending(path: "body")
                try Data("before".utf8).write(to: file)
                let reply = try await client.download(HTTPRequest(.get, url: server.url), to: file.path())
                #expect(reply.head.status == .ok)
                #expect(reply.body.isEmpty)
                let isSame = try Data(contentsOf: file) == Data(content)
                #expect(isSame)
                #expect(try files(in: folder) == ["body"])
                let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
                #expect(mode.map { $0 & 0o400 } == 0o400)
            }
        }
    }

    @Test(arguments: ["truncated", "too large", "cancelled"])
    func `An incomplete body leaves the old file, and no temporary one`(how: String) async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            connection.send([UInt8](repeating: 1, count: 600))
            if how == "cancelled" { connection.waitForClientToClose() } else { connection.end() }
        }
        try await withFolder { folder in
            let file = folder.appending(path: "body")
            try Data("before".utf8).write(to: file)
            try await withClient { client in
                let request = try HTTPRequest(.get, url: server.url)
                let task = Task {
                    try await client.download(request, to: file.path(), upTo: how == "too large" ? 500 : nil)
                }
                if how == "cancelled" {
                    await server.until { $0.bytesWritten > 600 }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                } else {
                    let error = try await curlError { try await task.value }
                    #expect(error.code == (how == "truncated" ? .truncated : .tooLarge))
                }
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == "before")
            #expect(try files(in: folder) == ["body"])
        }
    }

    @Test func `A refusal is returned as a reply and not downloaded`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")
        }
        try await withFolder { folder in
            try await withClient { client in
                let path = folder.appending(path: "body").path()
                let reply = try await client.download(HTTPRequest(.get, url: server.url), to: path)
                #expect(reply.head.status.code == 404)
                #expect(Array(reply.body) == Array("gone".utf8))
            }
            #expect(try files(in: folder).isEmpty)
        }
    }

    @Test func `A destination that cannot be written is a file error`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([1]) }
        try await withClient { client in
            let error = try await curlError {
                try await client.download(HTTPRequest(.get, url: server.url), to: "/nowhere/at/all")
            }
            #expect(error.code == .file)
            #expect(!error.message.contains("nowhere"))
        }
    }

    @Test(arguments: [1, 240, 250, 255])
    func `A file's name may be as long as the system allows`(length: Int) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([1]) }
        try await withFolder { folder in
            try await withClient { client in
                let name = String(repeating: "n", count: length)
                let request = try HTTPRequest(.get, url: server.url)
                _ = try await client.download(request, to: folder.appending(path: name).path())
                #expect(try files(in: folder) == [name])
            }
        }
    }

    @Test func `A file's path may be as long as the system allows`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([1]) }
        try await withFolder { folder in
            // A longer path cannot be opened.
            let maximum = Int(PATH_MAX) - 1
            var path = folder.path(percentEncoded: false)
            if path.hasSuffix("/") { path.removeLast() }
            while path.utf8.count < maximum - 2 {
                path += "/" + String(repeating: "d", count: min(200, maximum - 3 - path.utf8.count))
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try await withClient { client in
                _ = try await client.download(HTTPRequest(.get, url: server.url), to: "\(path)/n")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["n"])
        }
    }

    @Test(arguments: ["a name over the system's limit", "a folder", "no name"])
    func `An impossible destination is reported before the body is read`(what: String) async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
            connection.waitForClientToClose()
        }
        try await withFolder { folder in
            let name = what == "a folder" ? "folder" : what == "no name" ? "" : String(repeating: "n", count: 256)
            if what == "a folder" {
                let inner = folder.appending(path: name)
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            }
            try await withClient { client in
                let path = "\(folder.path())/\(name)"
                let error = try await curlError {
                    try await client.download(HTTPRequest(.get, url: server.url), to: path)
                }
                #expect(error.code == .file, "\(error)")
            }
            #expect(try files(in: folder) == (what == "a folder" ? [name] : []))
        }
    }
}
#endif
