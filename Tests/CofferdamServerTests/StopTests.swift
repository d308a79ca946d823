#if Server
import Cofferdam
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A stop always works, and a yes is a yes", .timeLimit(.minutes(2))) struct StopTests {
    private struct Changed: Decodable {
        struct Entry: Decodable { var id: String }
        var entry: Entry
        var delivered: Int
        var stored: Bool
        var why: String?
    }

    private static let kill = #""reason": "users complain", "target": "legacy""#

    private func stage(_ server: TestServer) async throws -> ServedStage {
        try await server.get("/v1/capabilities/orders/stage", as: .device).json()
    }

    private func toCanary(_ server: TestServer) async throws {
        try await server.order("advance")
        try await server.order("advance")
        #expect(try await stage(server).stage == .canary(share: 2000))
    }

    // MARK: A flood

    @Test(arguments: [ServerRole.device, nil])
    func `a flood from one address takes nothing from people and from the health routes`(role: ServerRole?)
        async throws
    {
        try await TestServer.with({ $0.addressRate = RequestRate(perSecond: 1, burst: 5) }) { server in
            for _ in 0..<40 { _ = try await server.get("/v1/capabilities/orders/stage", as: role) }
            #expect(try await server.get("/v1/capabilities/orders/stage", as: role).status == 429)
            for number in 0..<20 {
                #expect(try await server.order("kill", Self.kill).status == 200, "kill \(number)")
                #expect(try await server.get("/healthz", as: nil).status == 200)
                #expect(try await server.get("/readyz", as: nil).status == 200)
                #expect(try await server.get("/capabilities/orders", as: .operator).status == 200)
            }
            #expect(try server.plane.parts.hub.stage(of: "orders")?.kill == .legacy)
        }
    }

    @Test func `a person's own flood does not take away the stop`() async throws {
        try await TestServer.with({ $0.tokenRate = RequestRate(perSecond: 1, burst: 5) }) { server in
            for _ in 0..<10 { _ = try await server.get("/v1/capabilities/orders", as: .operator) }
            #expect(try await server.get("/v1/capabilities/orders", as: .operator).status == 429)
            #expect(try await server.order("kill", Self.kill).status == 200)
        }
    }

    // MARK: The database

    @Test func `a kill is in force after the database was removed, and everything says that it is gone`()
        async throws
    {
        try await TestServer.with { server in
            try await toCanary(server)
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: server.folder + "/upgrades.sqlite" + suffix)
            }
            let answer = try await server.order("kill", Self.kill)
            #expect(answer.status == 202)
            let changed = try answer.json(Changed.self)
            #expect(!changed.stored)
            #expect(changed.why?.contains("the database was removed or emptied while it was open") == true)
            #expect(try await stage(server).kill == .legacy)
            let status = try await server.status()
            #expect(status.stage == .canary(share: 2000))
            #expect(status.kill?.target == .legacy)
            #expect(status.notes?.contains("all users to V1, by operator, has not reached the store") == true)
            let page = try await server.get("/capabilities/orders", as: .operator)
            #expect(page.status == 200)
            #expect(page.text.contains("stopped: all on V1"))
            #expect(page.text.contains("has not reached the store"))
            for move in ["advance", "resume"] {
                let other = try await server.order(move)
                #expect(other.status == 503)
                #expect(other.message?.contains("kill by operator is in force, but not stored yet") == true)
            }
            server.clock.advance(by: .seconds(2))
            let ready = try await server.get("/readyz", as: nil)
            #expect(ready.status == 503)
            #expect(ready.headers[.retryAfter] == "5")
            #expect(server.log.text.contains("not ready: the database was removed"))
        }
    }

    @Test func `a server that is not ready says so once, and when it is ready again`() async throws {
        try await TestServer.with { server in
            let path = server.folder + "/upgrades.sqlite"
            try await server.order("advance")
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.moveItem(atPath: path + suffix, toPath: path + ".away" + suffix)
            }
            for _ in 0..<20 {
                server.clock.advance(by: .seconds(2))
                #expect(try await server.get("/readyz", as: nil).status == 503)
            }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.moveItem(atPath: path + ".away" + suffix, toPath: path + suffix)
            }
            for _ in 0..<3 {
                server.clock.advance(by: .seconds(2))
                #expect(try await server.get("/readyz", as: nil).status == 200)
            }
            #expect(server.log.text.components(separatedBy: "not ready: the database was removed").count == 2)
            #expect(server.log.text.components(separatedBy: "ready again").count == 2)
        }
    }

    @Test func `requests that fail do not fill the log`() async throws {
        try await TestServer.with { server in
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: server.folder + "/upgrades.sqlite" + suffix)
            }
            for unit in 0..<50 {
                #expect(try await server.report([Reports.baseline(unit..<unit + 1)]).status == 503)
                #expect(try await server.post("/v1/capabilities/orders/kill", "{}").status == 400)
            }
            try await server.plane.parts.refusals.settle()
            let lines = server.log.text.components(separatedBy: "\n")
            #expect(lines.count { $0.hasPrefix("POST /v1/capabilities/{name}/evidence: ") } == 5)
            #expect(lines.count { $0.contains("refused requests are not in the audit log") } == 1)
        }
    }

    @Test func `a kill is in force after an older copy took the database's place`() async throws {
        try await TestServer.with { server in
            let path = server.folder + "/upgrades.sqlite"
            try await server.order("advance")
            try ServerBackup.write(path, to: server.folder + "/old.sqlite")
            try await server.order("advance")
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try FileManager.default.moveItem(atPath: server.folder + "/old.sqlite", toPath: path)
            let answer = try await server.order("kill", Self.kill)
            #expect(answer.status == 202)
            #expect(try answer.json(Changed.self).why?.contains("older state") == true)
            #expect(try await stage(server).kill == .legacy)
            #expect(try await server.order("advance").status == 503)
            #expect(try await server.get("/readyz", as: nil).status == 503)
            #expect(try await server.order("kill", Self.kill).status == 202)
            #expect(try await stage(server).kill == .legacy)
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
    func `on a full disk a kill is in force at once, and stored from the reserve`() async throws {
        let disk = try SmallDisk(megabytes: 8)
        defer { disk.remove() }
        let path = disk.path + "/upgrades.sqlite"
        try await TestServer.with({ $0.database = path }) { server in
            try await toCanary(server)
            try disk.fill()
            server.clock.advance(by: .seconds(2))
            let override = #""reason": "test", "operation": "place", "stage": "legacyOnly""#
            let refused = try await server.order("override", override)
            #expect(refused.status == 503)
            #expect(refused.message == "the disk is full")
            let first = try await server.order("kill", Self.kill)
            #expect(first.status == 200, "the reserve made room: \(first.text)")
            #expect(try await stage(server).kill == .legacy)
            try disk.fill()
            let long = String(repeating: "x", count: 900)
            let second = try await server.order("kill", #""reason": "\#(long)", "target": "freeze""#)
            #expect(second.status == 202)
            #expect(try second.json(Changed.self).why?.hasSuffix("the disk is full") == true)
            #expect(try await stage(server).kill == .freeze)
            server.clock.advance(by: .seconds(2))
            #expect(try await server.get("/readyz", as: nil).message == "the disk is full")
            try disk.empty()
            // Stored by the server itself.
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            await until {
                server.clock.advance(by: .seconds(1))
                return (try? await store.read("orders"))??.kill?.target == .freeze
            }
            server.clock.advance(by: .seconds(2))
            #expect(try await server.get("/readyz", as: nil).status == 200)
        }
    }

    // MARK: A yes is a yes

    @Test func `a step up says what it is based on, and of two one is taken`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let path = "/v1/capabilities/orders/advance"
            let blind = try await server.post(path, #"{"reason": "test", "despiteGate": true}"#)
            #expect(blind.status == 400)
            #expect(blind.message?.contains(#""from""#) == true)
            let body = #"{"reason": "test", "despiteGate": true, \#(try server.seen())}"#
            let answers = try await withThrowingTaskGroup(of: TestServer.Answer.self) { group in
                for _ in 0..<4 { group.addTask { try await server.post(path, body) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [200, 409, 409, 409])
            let refused = try #require(answers.first { $0.status == 409 })
            #expect(refused.code == "movedOn")
            #expect(refused.message?.contains("by operator, 0 s ago. Look again") == true)
            #expect(try await stage(server).stage == .canary(share: 2000))
        }
    }

    @Test func `a key belongs to one request of one holder`() async throws {
        try await TestServer.with { server in
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            func kill(_ target: String, as role: ServerRole = .operator) async throws -> TestServer.Answer {
                let body = #"{"reason": "test", "target": "\#(target)"}"#
                let path = "/v1/capabilities/orders/kill"
                return try await server.send(.post, path, as: role, body, headers: [key: "deploy-42"])
            }
            #expect(try await kill("freeze").status == 200)
            for _ in 0..<2 {
                let other = try await kill("legacy")
                #expect(other.status == 422)
                #expect(other.code == "keyUsed")
            }
            #expect(try await kill("freeze", as: .admin).status == 422)
            #expect(try await kill("freeze").status == 200)
            #expect(try await stage(server).kill == .freeze)
        }
    }

    /// Each request that could raise the share of V2 without a gate, with the answer at legacyOnly.
    @Test func `what can raise the share of the candidate is a step up, whatever its name`() async throws {
        let window = try FreezeWindow("Mon 00:00-Sun 23:59", zone: "UTC")
        for isFrozen in [false, true] {
            try await TestServer.with({ if isFrozen { $0.freezes = [window] } }) { server in
                let all = #""reason": "test", "target": "candidate""#
                let confirmed = all + #", "everybodyToV2": true"#
                let above = #""reason": "test", "operation": "place", "stage": "candidateOnly""#
                #expect(try await server.order("kill", all, as: .admin).status == 400)
                #expect(try await server.order("kill", confirmed).status == 403)
                #expect(try await server.order("kill", confirmed, as: .admin).code == "neverAnswered")
                #expect(try await server.order("override", above).code == "gateDecides")
                #expect(try await stage(server).revision == 0)
                let despite = above + #", "despiteGate": true"#
                #expect(try await server.order("override", despite).status == 200)
                try await server.order("override", #""reason": "test", "operation": "place", "clear": true"#)
                try await server.order("advance", #""reason": "test", "despiteGate": true"#)
                try await server.order("advance", #""reason": "test", "despiteGate": true"#)
                #expect(try await stage(server).stage == .canary(share: 2000))
                let answer = try await server.order("kill", confirmed, as: .admin)
                #expect(answer.code == (isFrozen ? "freezeWindow" : nil))
                #expect(try await stage(server).kill == (isFrozen ? nil : .candidate))
            }
        }
    }
}

/// A file system in memory with little room.
struct SmallDisk {
    let path: String

    static let isPossible: Bool =
        (try? SmallDisk(megabytes: 1)).map {
            $0.remove(); return true
        } ?? false

    init(megabytes: Int) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "small-disk-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #if os(Linux)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            let code = errno
            try? FileManager.default.removeItem(atPath: path)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EPERM)
        }
        #else
        try? FileManager.default.removeItem(atPath: path)
        throw POSIXError(.ENOTSUP)
        #endif
    }

    /// Leaves no room at all.
    func fill() throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(file, bytes, size) == size {}
        }
    }

    func empty() throws { try FileManager.default.removeItem(atPath: path + "/filler") }

    func remove() {
        #if os(Linux)
        _ = umount2(path, Int32(MNT_DETACH))
        #endif
        try? FileManager.default.removeItem(atPath: path)
    }
}
#endif
