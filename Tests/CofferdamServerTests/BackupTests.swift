#if Server
import Cofferdam
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import GRDB
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("Backup and restore") struct BackupTests {
    private static let shadow = Stage.shadow(sample: .all)

    private static func report(_ unit: Int) -> EvidenceReport {
        Reports.report(shadow, epoch: 1, unit..<unit + 1, Reports.windows("comparisons", ["match"]))
    }

    /// Returns the units that a file has counted.
    private static func units(in file: String) async throws -> Int {
        let log = try SQLiteUpgradeLog(path: file)
        let state = try #require(try await SQLiteUpgradeStore(log: log).read("orders")).state
        let reading = try await StoredEvidence(log, window: 600).reading(of: state, afterSeconds: 60)
        return reading.metrics[.comparison]?.total ?? 0
    }

    @Test func `a backup has everything that was acknowledged before it began, while posts go on`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for unit in 0..<20 { try await server.report([Self.report(unit)]) }
            let acknowledged = Shared(20)
            let isOver = Shared(false)
            let backups: [(file: String, before: Int)] = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var unit = 20
                    while !isOver.current {
                        try await server.report([Self.report(unit)])
                        unit += 1
                        acknowledged.change { $0 += 1 }
                    }
                }
                var backups: [(String, Int)] = []
                for number in 0..<5 {
                    let before = acknowledged.current
                    let file = server.folder + "/copy\(number).sqlite"
                    try ServerBackup.write(server.folder + "/upgrades.sqlite", to: file)
                    backups.append((file, before))
                    // The posts go on between two copies.
                    while acknowledged.current <= before { await Task.yield() }
                }
                isOver.change { $0 = true }
                try await group.waitForAll()
                return backups
            }
            let after = acknowledged.current
            for backup in backups {
                let counted = try await Self.units(in: backup.file)
                #expect(counted >= backup.before)
                #expect(counted <= after)
            }
            #expect(try await server.reading().metrics[.comparison] == FailureCounts(0, of: after))
        }
    }

    @Test func `a restored server continues, and devices that have seen later stages follow it`() async throws {
        try await TestServer.with { server in
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try await server.order("advance")
            try await server.report([Self.report(1)])
            try ServerBackup.write(database, to: copy)
            try await server.order("advance")
            let device = try Device(at: try server.plane.url, file: server.folder + "/device.json")
            await device.engine.start()
            #expect(device.control.state.stage == .canary(share: 2000))

            #expect(throws: ControlPlaneError.self) {
                try ServerBackup.restore(copy, to: database, replacing: true)
            }
            await server.stop()
            #expect(throws: ControlPlaneError.self) { try ServerBackup.restore(copy, to: database) }
            try ServerBackup.restore(copy, to: database, replacing: true)
            try await server.start()

            await device.engine.refresh()
            #expect(device.control.state.stage == Self.shadow)
            #expect(!device.engine.status.isSetBack)
            let state = try #require(try await server.plane.parts.upgrades["orders"]?.status().state)
            #expect(state.epoch == 1 + UpgradeLogBackup.epochs)
            #expect(try await server.reading().metrics.isEmpty, "the evidence begins anew")
            device.call("ada", side: .legacy)
            await device.engine.save()
            try await device.evidence.deliver()
            let log = try await server.get("/v1/capabilities/orders")
            #expect(log.text.contains(#""action":"advance""#))
            #expect(try await server.order("kill", #""reason": "a test", "target": "legacy""#).status == 200)
            await device.engine.refresh()
            #expect(device.control.state.kill?.target == .legacy)
        }
    }

    @Test func `a file that is not a backup is refused, and the database stays as it was`() async throws {
        try await TestServer.with { server in
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try await server.order("advance")
            for unit in 0..<300 where unit % 100 == 0 {
                try await server.report([
                    Reports.report(
                        Self.shadow,
                        epoch: 1,
                        unit..<unit + 100,
                        Reports.windows("comparisons", ["match"])
                    )
                ])
            }
            try ServerBackup.write(database, to: copy)
            #expect(throws: ControlPlaneError.self) { try ServerBackup.write(database, to: copy) }
            #expect(throws: ControlPlaneError.self) {
                try ServerBackup.write(server.folder + "/no", to: copy + "2")
            }
            await server.stop()

            let text = server.folder + "/text"
            try Data("no database".utf8).write(to: URL(filePath: text))
            let empty = server.folder + "/empty"
            try Data().write(to: URL(filePath: empty))
            // A file of another application, one without its second page, and one with a wrong header.
            var bytes = try Data(contentsOf: URL(filePath: copy))
            bytes.replaceSubrange(68..<72, with: [0, 0, 0, 7])
            let foreign = server.folder + "/foreign"
            try bytes.write(to: URL(filePath: foreign))
            bytes = try Data(contentsOf: URL(filePath: copy))
            bytes.replaceSubrange(4_096..<8_192, with: Data(count: 4_096))
            let cut = server.folder + "/cut"
            try bytes.write(to: URL(filePath: cut))
            bytes = try Data(contentsOf: URL(filePath: copy))
            bytes.replaceSubrange(36..<40, with: [0, 0, 0, 7])
            let damaged = server.folder + "/damaged"
            try bytes.write(to: URL(filePath: damaged))
            let newer = server.folder + "/newer"
            try FileManager.default.copyItem(atPath: copy, toPath: newer)
            try await DatabaseQueue(path: newer).write { database in
                try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('of the next version')")
            }
            for (file, says) in [
                (newer, "a newer version of this kit wrote the file"), (text, "SQLite's error"),
                (empty, "not a log of upgrades"), (foreign, "not a log of upgrades"),
                (cut, "malformed"), (damaged, "the file is damaged"),
                (server.folder + "/no", "no such file"),
            ] {
                let error = #expect(throws: ControlPlaneError.self) {
                    try ServerBackup.restore(file, to: database, replacing: true)
                }
                #expect("\(error as Any)".contains(says), "\(error as Any)")
                #expect(try await Self.units(in: database) == 300)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder)
            #expect(names.filter { $0.hasSuffix(".new") || $0.contains(".restored") } == [])
            try await server.start()
            #expect(try await server.reading().metrics[.comparison] == FailureCounts(0, of: 300))
        }
    }

    @Test func `a restore that fails at its last step leaves the database what only its log has`() async throws {
        try await TestServer.with { server in
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try await server.order("advance")
            try ServerBackup.write(database, to: copy)
            for unit in 0..<20 { try await server.report([Self.report(unit)]) }
            // As a killed server leaves its files: SQLite has not moved what is in the log into the database.
            func path(_ isMounted: Bool) -> String { server.folder + "/killed-\(isMounted).sqlite" }
            for isMounted in [true, false] {
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: database + suffix, toPath: path(isMounted) + suffix)
                }
            }
            await server.stop()
            for isMounted in [true, false] {
                let killed = path(isMounted)
                let log = try Data(contentsOf: URL(filePath: killed + "-wal"))
                #expect(!log.isEmpty)
                func restore() throws {
                    try UpgradeLogBackup.restore(copy, to: killed, now: 1_800_000_000) { old, new in
                        guard isMounted, new.hasSuffix(".sqlite") else { return rename(old, new) }
                        errno = EBUSY
                        return -1
                    }
                }
                if isMounted {
                    let error = #expect(throws: UpgradeStoreError.self) { try restore() }
                    #expect(error?.message.hasPrefix("cannot be replaced") == true)
                    #expect(try Data(contentsOf: URL(filePath: killed + "-wal")) == log)
                } else {
                    try restore()
                    #expect(!FileManager.default.fileExists(atPath: killed + "-wal"))
                }
                #expect(try await Self.units(in: killed) == (isMounted ? 20 : 0))
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder)
            #expect(names.filter { $0.hasSuffix(".old") || $0.contains(".restored") } == [])
        }
    }

    @Test func `two servers never use one file`() async throws {
        try await TestServer.with { server in
            var configuration = ControlPlaneConfiguration(
                database: server.folder + "/upgrades.sqlite",
                tokens: try AccessTokens([]),
                capabilities: [HostedCapability("orders")]
            )
            configuration.port = 0
            let second = configuration
            let error = await #expect(throws: ControlPlaneError.self) { try await ControlPlane.start(second) }
            #expect("\(error as Any)".contains("a server is using it"))
        }
    }
}
#endif
