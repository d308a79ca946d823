#if Server
import CofferdamUpgrade
import Foundation
import Testing
@testable import CofferdamServer

@Suite("The database's file: its names, its mode, and whether a copy is whole") struct DatabaseFileTests {
    /// Runs the body in a folder with a symbolic link to the database, one in another folder, and a hard link.
    private static func withNames(_ body: (TestServer, _ links: [String], _ hard: String) async throws -> Void)
        async throws
    {
        try await TestServer.with { server in
            let (folder, files) = (server.folder, FileManager.default)
            try files.createDirectory(atPath: folder + "/sub", withIntermediateDirectories: false)
            for (link, target) in [
                ("sym.sqlite", "upgrades.sqlite"), ("sub/s.sqlite", "../upgrades.sqlite"),
                ("twice.sqlite", folder + "/sub/s.sqlite"),
            ] {
                try files.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: target)
            }
            let links = ["sym.sqlite", "sub/s.sqlite", "twice.sqlite"].map { folder + "/" + $0 }
            try await body(server, links, folder + "/hard.sqlite")
        }
    }

    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    private static func stage(in file: String) async throws -> Stage? { try await state(in: file)?.stage }

    /// Its epoch is another one after each restore.
    private static func state(in file: String) async throws -> UpgradeState? {
        try await SQLiteUpgradeStore(log: SQLiteUpgradeLog(path: file)).read("orders")?.state
    }

    // MARK: Names

    @Test func `a second server is refused by whatever name it is given the file`() async throws {
        try await Self.withNames { server, links, hard in
            let database = server.folder + "/upgrades.sqlite"
            func start(_ name: String) async -> String {
                do {
                    let configuration = ControlPlaneConfiguration(
                        database: name,
                        tokens: try AccessTokens([]),
                        capabilities: [HostedCapability("orders")]
                    )
                    await (try ControlPlane.start(configuration)).stop()
                    return "it starts"
                } catch { return "\(error)" }
            }
            for link in links + [server.folder + "/sub/../upgrades.sqlite"] {
                let answer = await start(link)
                #expect(answer.contains("a server is using it"), "\(link): \(answer)")
            }
            try FileManager.default.linkItem(atPath: database, toPath: hard)
            for name in [hard, database] {
                let answer = await start(name)
                #expect(answer.contains("the file has another name too"), "\(name): \(answer)")
            }
            try FileManager.default.removeItem(atPath: hard)
            #expect(try await server.order("advance").status == 200)
        }
    }

    @Test func `a server uses a file through a link, whether it exists or not`() async throws {
        try await TestServer.with({ $0.database = $0.database.replacing("upgrades.sqlite", with: "sym.sqlite") }) {
            server in
            #expect(try await server.order("advance").status == 200)
            await server.stop()
            let (link, real) = (server.folder + "/sym.sqlite", server.folder + "/real.sqlite")
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: link + suffix) {
                try FileManager.default.moveItem(atPath: link + suffix, toPath: real + suffix)
            }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.sqlite")
            try await server.start()
            #expect(try await server.order("advance", #""reason": "test", "despiteGate": true"#).status == 200)
            #expect(try await server.status().stage == .canary(share: 2000))
            try ServerBackup.write(link, to: server.folder + "/copy.sqlite")
            await server.stop()
            try FileManager.default.removeItem(atPath: real)
            try await server.start()
            #expect(try await server.order("advance").status == 200)
            await server.stop()
            #expect(Self.isLink(link))
            #expect(try await Self.stage(in: real) == .shadow(sample: .all))
            #expect(try await Self.stage(in: server.folder + "/copy.sqlite") == .canary(share: 2000))
        }
    }

    @Test func `restore is refused while the server runs, and writes through links otherwise`() async throws {
        try await Self.withNames { server, links, hard in
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try ServerBackup.write(database, to: copy)
            try await server.order("advance")
            for link in links {
                let error = #expect(throws: ControlPlaneError.self) {
                    try ServerBackup.restore(copy, to: link, replacing: true)
                }
                #expect("\(error as Any)".contains("a server is using it"))
            }
            await server.stop()
            for link in links {
                try FileManager.default.removeItem(atPath: copy)
                try ServerBackup.write(database, to: copy)
                let before = try await Self.stage(in: database)
                #expect(throws: ControlPlaneError.self) { try ServerBackup.restore(copy, to: link) }
                try ServerBackup.restore(copy, to: link, replacing: true)
                #expect(Self.isLink(link))
                #expect(try await Self.stage(in: database) == before)
            }
            let state = try await Self.state(in: database)
            try FileManager.default.linkItem(atPath: database, toPath: hard)
            for name in [hard, database, links[0]] {
                let error = #expect(throws: ControlPlaneError.self) {
                    try ServerBackup.restore(copy, to: name, replacing: true)
                }
                #expect("\(error as Any)".contains("the file has another name too"))
            }
            #expect(try await Self.state(in: database) == state)
            let again = server.folder + "/again.sqlite"
            // By another name SQLite finds no log, and would copy an older state.
            #expect(throws: ControlPlaneError.self) { try ServerBackup.write(hard, to: again) }
            #expect(!FileManager.default.fileExists(atPath: again))
        }
    }

    // MARK: Whether a copy is whole

    @Test func `a copy with one changed byte is refused, wherever the byte is`() async throws {
        try await TestServer.with { server in
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try await server.order("advance")
            try ServerBackup.write(database, to: copy)
            await server.stop()
            let bytes = try Data(contentsOf: URL(filePath: copy))
            let before = try await Self.state(in: database)
            let flipped = server.folder + "/flipped.sqlite"
            for number in 0..<40 {
                var damaged = bytes
                damaged[number * (bytes.count - 1) / 39] ^= 0x10
                try damaged.write(to: URL(filePath: flipped))
                #expect(throws: ControlPlaneError.self, "byte \(number * (bytes.count - 1) / 39)") {
                    try ServerBackup.restore(flipped, to: database, replacing: true)
                }
            }
            #expect(try await Self.state(in: database) == before)
            let cut = bytes.dropLast(1)
            try Data(cut).write(to: URL(filePath: flipped))
            #expect(throws: ControlPlaneError.self) {
                try ServerBackup.restore(flipped, to: database, replacing: true)
            }
            try ServerBackup.restore(copy, to: database, replacing: true)
            // The restored database and a copy of it are whole too.
            let next = server.folder + "/next.sqlite"
            try ServerBackup.write(database, to: next)
            try ServerBackup.restore(next, to: database, replacing: true)
            try await server.start()
            #expect(try await server.status().stage == .shadow(sample: .all))
        }
    }

    // MARK: Its mode

    @Test func `the database, its log and its copies can be read by their owner only`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try ServerBackup.write(database, to: copy)
            for file in [database, database + "-wal", database + "-shm", copy] {
                #expect(try Self.mode(file) == 0o600, "\(file)")
            }
            await server.stop()
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: database)
            try ServerBackup.restore(copy, to: database, replacing: true)
            #expect(try Self.mode(database) == 0o640, "it keeps its mode")
            try ServerBackup.restore(copy, to: server.folder + "/new.sqlite")
            #expect(try Self.mode(server.folder + "/new.sqlite") == 0o600)
        }
    }
}
#endif
