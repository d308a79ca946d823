#if Server
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import GRDB
import Testing
import TestSupport
import CofferdamFleet
@testable import CofferdamDevice
@testable import CofferdamServer

@Suite("A device that enrols") struct EnrolmentClientTests {
    /// Runs the body with a server at `canary(2000)`.
    private static func withCanary(
        _ change: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(change) { server in
            try await server.order("advance")
            try await server.order("advance")
            try await body(server)
        }
    }

    /// A device whose waits end when the test says so.
    private struct Paced {
        let passed = Shared(Duration.zero)
        private let start = ContinuousClock.now

        func device(
            _ server: TestServer,
            _ name: String = "device",
            at url: String? = nil,
            enrols: Bool = true,
            attest: Enrolment.Attest? = nil
        ) throws -> Device {
            let pacing = Pacing(now: { [start, passed] in start.advanced(by: passed.current) })
            return try Device(
                at: url ?? (try server.plane.url),
                file: "\(server.folder)/\(name).json",
                pacing: pacing,
                enrols: enrols,
                attest: attest
            )
        }
    }

    /// A unit calls, and the device posts it.
    private static func post(_ device: Device, _ unit: String) async throws {
        await device.engine.start()
        device.call(unit)
        await device.engine.save()
        try await device.evidence.deliver()
    }

    /// The id in a device's file.
    private static func id(_ server: TestServer, _ name: String = "device") throws -> String? {
        struct Stored: Decodable { var id: String? }
        let file = URL(filePath: "\(server.folder)/\(name).json.key")
        return try JSONDecoder().decode(Stored.self, from: Data(contentsOf: file)).id
    }

    private static func counts(_ server: TestServer) async throws -> InstallationCounts? {
        try await server.reading().installations
    }

    @Test func `a device enrols before its first post, and keeps its key`() async throws {
        try await Self.withCanary { server in
            try await Self.post(try Paced().device(server), "ada")
            #expect(try await Self.counts(server) == InstallationCounts(enrolled: 1))
            let file = "\(server.folder)/device.json.key"
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let id = try #require(try Self.id(server))
            // The app restarts.
            try await Self.post(try Paced().device(server), "ben")
            #expect(try Self.id(server) == id)
            #expect(try await Self.counts(server) == InstallationCounts(enrolled: 2))
            let metrics = try await server.get("/metrics").text
            #expect(metrics.contains(#"enrolments",status="200"} 1"#), "it enrols once")
        }
    }

    @Test func `a device without a network waits, and then enrols`() async throws {
        try await Self.withCanary { server in
            let paced = Paced()
            let device = try paced.device(server)
            await device.engine.start()
            await server.stop()
            device.call("ada")
            await device.engine.save()
            await #expect(throws: UpgradeStoreError.self) { try await device.evidence.deliver() }
            try await server.start()
            try await device.evidence.deliver()
            #expect(try await Self.counts(server) == InstallationCounts(enrolled: 1))
        }
    }

    @Test func `a device whose key is lost or damaged enrols anew`() async throws {
        try await Self.withCanary { server in
            try await Self.post(try Paced().device(server), "ada")
            var ids = Set([try #require(try Self.id(server))])
            let file = URL(filePath: "\(server.folder)/device.json.key")
            for content in [nil, "{", #"{"key":"AAAA","server":""}"#] as [String?] {
                if let content {
                    try Data(content.utf8).write(to: file)
                } else {
                    try FileManager.default.removeItem(at: file)
                }
                try await Self.post(try Paced().device(server), "unit \(ids.count)")
                ids.insert(try #require(try Self.id(server)))
            }
            #expect(ids.count == 4)
            #expect(try await Self.counts(server) == InstallationCounts(enrolled: 4))
        }
    }

    @Test func `a device that the server does not know any more enrols again, under its key`() async throws {
        try await Self.withCanary { server in
            let device = try Paced().device(server)
            try await Self.post(device, "ada")
            let id = try #require(try Self.id(server))
            await server.stop()
            let database = try DatabaseQueue(path: server.folder + "/upgrades.sqlite")
            try await database.write { try $0.execute(sql: "DELETE FROM installation") }
            try database.close()
            try await server.start()
            try await Self.post(device, "ben")
            #expect(try await server.plane.parts.log.installation(id) != nil)
            #expect(try await Self.counts(server) == InstallationCounts(enrolled: 2))
        }
    }

    @Test func `a device posts plainly while the server does not enrol it, and asks again later`() async throws {
        for (perHour, pause) in [(0, 3_600), (1, 3_600)] {
            let limit = Shared(perHour)
            try await Self.withCanary({ $0.enrolmentsPerHour = limit.current }) { server in
                if perHour > 0 { _ = try await Installation().enrolment(at: server) }
                let paced = Paced()
                let device = try paced.device(server)
                try await Self.post(device, "ada")
                limit.change { $0 = 10 }
                await server.stop()
                try await server.start()
                paced.passed.change { $0 = .seconds(pause - 1) }
                try await Self.post(device, "ben")
                #expect(try await Self.counts(server) == InstallationCounts(plain: 2))
                paced.passed.change { $0 = .seconds(pause) }
                try await Self.post(device, "cy")
                #expect(try await Self.counts(server) == InstallationCounts(plain: 2, enrolled: 1))
            }
        }
    }

    @Test func `a process with many users does not enrol if the app says so, and all its units count`() async throws {
        for (enrols, counts) in [(true, InstallationCounts(enrolled: 8)), (false, InstallationCounts(plain: 12))] {
            try await Self.withCanary { server in
                let device = try Paced().device(server, enrols: enrols)
                await device.engine.start()
                for number in 0..<12 { device.call("unit \(number)") }
                await device.engine.save()
                try await device.evidence.deliver()
                #expect(try await Self.counts(server) == counts)
                let hasKey = FileManager.default.fileExists(atPath: "\(server.folder)/device.json.key")
                #expect(hasKey == enrols)
            }
        }
    }

    @Test func `a key that cannot be read now is not replaced`() async throws {
        try await Self.withCanary { server in
            let file = "\(server.folder)/device.json.key"
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
            let paced = Paced()
            let device = try paced.device(server)
            try await Self.post(device, "ada")
            #expect(try await Self.counts(server) == InstallationCounts(plain: 1), "failures do not wait for it")
            var isDirectory: ObjCBool = false
            #expect(
                FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) && isDirectory.boolValue
            )
            try FileManager.default.removeItem(atPath: file)
            paced.passed.change { $0 = .seconds(600) }
            try await Self.post(device, "ben")
            #expect(try await Self.counts(server) == InstallationCounts(plain: 1, enrolled: 1))
        }
    }

    @Test func `an installation at another server enrols there, under its key`() async throws {
        try await Self.withCanary { server in
            try await Self.post(try Paced().device(server), "ada")
            let id = try #require(try Self.id(server))
            try await Self.withCanary { other in
                let url = try other.plane.url
                try await Self.post(try Paced().device(server, at: url), "ben")
                #expect(try Self.id(server) == id)
                #expect(try await other.plane.parts.log.installation(id) != nil)
            }
        }
    }

    @Test func `the app's attestation is for the key, and one that fails is asked for again`() async throws {
        let keys = Shared<[[UInt8]]>([])
        let seen = Shared("")
        let receiver = try LoopbackServer()
        receiver.answers { request in
            seen.change { $0 = request }
            return (200, "")
        }
        let verifier = try AttestationVerifier.address("http://\(receiver.address)/")
        try await Self.withCanary({ $0.attestation = verifier }) { server in
            let paced = Paced()
            let device = try paced.device(server) { key in
                keys.change { $0.append(key) }
                if keys.current.count == 1 { throw TestError("no attestation yet") }
                return "proof"
            }
            try await Self.post(device, "ada")
            paced.passed.change { $0 = .seconds(600) }
            try await Self.post(device, "ben")
            #expect(try await Self.counts(server) == InstallationCounts(plain: 1, attested: 1))
            let key = try #require(keys.current.last)
            #expect(keys.current == [key, key])
            let base64 = Data(key).base64EncodedString()
            #expect(seen.current.contains(#"{"attestation":"proof","publicKey":"\#(base64)"}"#))
        }
    }
}
#endif
