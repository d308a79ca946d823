#if Server
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("The tokens' file") struct TokensFileTests {
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        try await body(folder)
    }

    private static func make(_ name: String, _ file: String) async throws -> (isSuccess: Bool, output: String) {
        let made = try await ServerProgram.run("token", "--name", name, "--role", "reader", "--tokens", file)
        return (made.isSuccess, made.isSuccess ? made.output.trimmingCharacters(in: .newlines) : made.error)
    }

    @Test func `ten tokens that are made at once are all in the file`() async throws {
        try await Self.withFolder { folder in
            let file = folder + "/tokens.json"
            let made = try await withThrowingTaskGroup { group in
                for number in 0..<10 { group.addTask { try await Self.make("holder\(number)", file) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(made.allSatisfy { $0.isSuccess })
            let tokens = try AccessTokens(contentsOfFile: file)
            #expect(Set(made.compactMap { tokens.entry(of: $0.output)?.name }).count == 10)
            #expect(tokens.entries.count == 10)
        }
    }

    @Test func `a token is written through a link, and a file with two names is left alone`() async throws {
        try await Self.withFolder { folder in
            let (link, file, hard) = (folder + "/tokens.json", folder + "/real.json", folder + "/hard.json")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.json")
            #expect(try await Self.make("a", link).isSuccess)
            #expect(try await Self.make("b", link).isSuccess)
            #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "real.json")
            #expect(try AccessTokens(contentsOfFile: file).entries.map(\.name) == ["a", "b"])
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
            #expect(try await Self.make("c", link).isSuccess)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o640, "it keeps its mode")
            try FileManager.default.linkItem(atPath: file, toPath: hard)
            let refused = try await Self.make("d", hard)
            #expect(!refused.isSuccess && refused.output.contains("the file has another name too"))
            #expect(try AccessTokens(contentsOfFile: file).entries.count == 3)
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == [
                    "tokens.json", "real.json", "hard.json",
                ]
            )
        }
    }

    @Test(arguments: [0o666, 0o620, 0o602])
    func `a file that others may write is refused`(_ mode: Int) async throws {
        try await Self.withFolder { folder in
            let file = folder + "/tokens.json"
            #expect(try await Self.make("a", file).isSuccess)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            let answers = [
                // Were the file accepted, the server would end because of the missing folder.
                try await ServerProgram.run(
                    "--tokens",
                    file,
                    "--capability",
                    "orders",
                    "--database",
                    folder + "/none/upgrades.sqlite"
                ).error,
                try await Self.make("b", file).output,
            ]
            for answer in answers { #expect(answer.contains("others may write it"), "\(answer)") }
        }
    }

    @Test func `two entries with one digest are refused, in whatever letters`() throws {
        let one = AccessTokens.Entry(name: "amara", role: .reader, token: "a")
        let json = #"{"name":"bo","role":"admin","sha256":"\#(one.sha256.uppercased())"}"#
        let two = try JSONDecoder().decode(AccessTokens.Entry.self, from: Data(json.utf8))
        let error = #expect(throws: ControlPlaneError.self) { try AccessTokens([one, two]) }
        #expect(error?.description == "amara and bo have the same token")
    }

    @Test(arguments: [ServerRole.reader, .operator])
    func `a server says at its start when no token may change anything`(_ role: ServerRole) async throws {
        try await TestServer.with({ configuration in
            let entry = AccessTokens.Entry(name: "a", role: role, token: "a")
            if let tokens = try? AccessTokens([entry]) { configuration.tokens = tokens }
        }) { server in
            let isTold = server.log.text.contains("no token may change anything")
            #expect(isTold == (role == .reader))
        }
    }
}
#endif
