#if Server
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport
@testable import CofferdamDevice
@testable import CofferdamServer

@Suite("Breakers of devices") struct BreakerReportTests {
    private static let shadow = Stage.shadow(sample: .all)

    private static func report(_ device: Int, _ breakers: EvidenceReport.Breaker...) -> EvidenceReport {
        Reports.breakers(shadow, epoch: 1, device: device, breakers)
    }

    /// "place candidate: 2 of 3" for breakers that are open on two devices and opened on three.
    private static func words(_ server: TestServer) async throws -> [String] {
        try #require(try await server.status().breakers)
            .map { "\($0.operation) \($0.side): \($0.open) of \($0.opened)" }
    }

    @Test func `a breaker counts once, however its reports are repeated and reordered`() async throws {
        let story = [
            Self.report(1, Reports.breaker(1, open: true)), Self.report(1, Reports.breaker(2, open: false)),
            Self.report(1, Reports.breaker(3, open: true)), Self.report(1, Reports.breaker(4, open: false)),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [0, 2, 1, 0, 1], [2, 2], [1, 2, 0, 0]] {
            try await TestServer.with { server in
                try await server.order("advance")
                #expect(try await Self.words(server) == [])
                for place in order { #expect(try await server.report([story[place]]).status == 200) }
                #expect(try await Self.words(server) == ["place candidate: 1 of 1"], "\(order)")
                try await server.report([story[3]])
                for place in order { try await server.report([story[place]]) }
                #expect(try await Self.words(server) == ["place candidate: 0 of 1"], "\(order)")
            }
        }
    }

    @Test func `devices, sides and operations count separately, and survive the server`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for device in 0..<5 { try await server.report([Self.report(device, Reports.breaker(1, open: true))]) }
            try await server.report([
                Self.report(
                    0,
                    Reports.breaker(2, open: false),
                    Reports.breaker(1, open: true, "cancel", side: .legacy)
                )
            ])
            await server.stop()
            try await server.start()
            try await server.report([Self.report(1, Reports.breaker(2, open: false))])
            #expect(try await Self.words(server) == ["cancel legacy: 1 of 1", "place candidate: 3 of 5"])
            let page = try await server.get("/capabilities/orders").text
            #expect(page.contains("Breakers on devices"))
            #expect(page.contains("<span class=\"badge bad\">3</span>"))
            #expect(try await server.get("/").text.contains("breaker open on 3 devices"))
        }
    }

    @Test func `a device that goes silent does not count as open for ever`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            try await server.report([Self.report(1, Reports.breaker(1, open: true))])
            server.time.withLock { $0 += 29 * 60_000 }
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
            server.time.withLock { $0 += 60_000 }
            #expect(try await Self.words(server) == ["place candidate: 0 of 1"])
            try await server.report([Self.report(1, Reports.breaker(1, open: true))])
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
        }
    }

    @Test func `another epoch's breakers do not count, and a new epoch begins with none`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            try await server.report([Self.report(1, Reports.breaker(1, open: true))])
            let other = Reports.breakers(Self.shadow, epoch: 7, device: 2, [Reports.breaker(1, open: true)])
            #expect(try await server.report([other]).status == 200)
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
            try await server.order("advance")
            #expect(try await Self.words(server) == [])
            let next = Reports.breakers(
                .canary(share: 2000),
                epoch: 2,
                device: 2,
                [Reports.breaker(1, open: true)]
            )
            try await server.report([next, Self.report(3, Reports.breaker(1, open: true))])
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
        }
    }

    @Test func `names and numbers from devices are bounded`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for start in stride(from: 0, to: 120, by: 60) {
                let breakers = (start..<start + 60).map { Reports.breaker(1, open: true, "operation \($0)") }
                try await server.report([Reports.breakers(Self.shadow, epoch: 1, device: 1, breakers)])
            }
            #expect(try await server.status().breakers?.count == 63)
            let good = Self.report(1, Reports.breaker(1, open: true))
            for change: (inout EvidenceReport) -> Void in [
                { $0.device = nil }, { $0.device = "0" }, { $0.device = "+00000000000000f" },
                { $0.breakers?[0].number = 0 }, { $0.breakers?[0].number = .max }, { $0.breakers?[0].at = -1 },
                { $0.breakers?[0].at = .max }, { $0.breakers?[0].operation = "" },
                { $0.breakers?[0].operation = "a\u{1B}[2J" },
                { $0.breakers?[0].operation = String(repeating: "x", count: 129) },
                { $0.breakers = Array(repeating: Reports.breaker(1, open: true), count: 127) },
            ] {
                var attack = good
                change(&attack)
                #expect(try await server.report([attack]).status == 400)
            }
        }
    }

    // MARK: The device

    /// A clock for the pauses of a device.
    private static func pacing(_ time: Shared<ContinuousClock.Instant>) -> Pacing {
        Pacing(now: { time.current })
    }

    @Test func `a device reports when its breaker opens and closes, and that it is still open`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let time = Shared(ContinuousClock.now)
            let file = server.folder + "/device.json"
            let device = try Device(at: try server.plane.url, file: file, pacing: Self.pacing(time))
            await device.engine.start()
            func deliver() async throws {
                await device.engine.save()
                try await device.evidence.deliver()
            }
            device.call("ada", side: .legacy)
            try await deliver()
            #expect(try await Self.words(server) == [])
            device.breakers[.candidate, "place"].open()
            device.breakers[.legacy, "cancel"].open()
            device.clock.advance(by: .seconds(60))
            device.breakers[.legacy, "cancel"].close()
            try await deliver()
            #expect(try await Self.words(server) == ["cancel legacy: 0 of 1", "place candidate: 1 of 1"])
            for _ in 0..<3 {
                server.time.withLock { $0 += 11 * 60_000 }
                time.change { $0 = $0.advanced(by: .seconds(660)) }
                try await deliver()
            }
            #expect(try await Self.words(server) == ["cancel legacy: 0 of 1", "place candidate: 1 of 1"])
            device.clock.advance(by: .seconds(60))
            device.breakers[.candidate, "place"].close()
            try await deliver()
            #expect(try await Self.words(server) == ["cancel legacy: 0 of 1", "place candidate: 0 of 1"])
        }
    }

    @Test func `a breaker ends with its process, and stays open into a new epoch`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let file = server.folder + "/device.json"
            let device = try Device(at: try server.plane.url, file: file)
            await device.engine.start()
            device.breakers[.candidate, "place"].open()
            await device.engine.save()
            try await device.evidence.deliver()
            try await server.order("advance")
            await device.engine.refresh()
            device.call("ada")
            await device.engine.save()
            try await device.evidence.deliver()
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"], "of the new epoch")

            let again = try Device(at: try server.plane.url, file: file)
            await again.engine.start()
            try await again.evidence.deliver()
            #expect(try await Self.words(server) == ["place candidate: 0 of 1"])
            again.breakers[.candidate, "place"].open()
            await again.engine.save()
            try await again.evidence.deliver()
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
        }
    }

    @Test func `a report that was not acknowledged is repeated`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let device = try Device(at: try server.plane.url, file: server.folder + "/device.json")
            await device.engine.start()
            await server.stop()
            device.breakers[.candidate, "place"].open()
            await device.engine.save()
            await #expect(throws: UpgradeStoreError.self) { try await device.evidence.deliver() }
            try await server.start()
            try await device.evidence.deliver()
            #expect(try await Self.words(server) == ["place candidate: 1 of 1"])
        }
    }

    @Test func `a file of an earlier version is read`() async throws {
        try await TestServer.with { server in
            let file = server.folder + "/device.json"
            try Data("{\"orders\":{\"rows\":{\"units\":{}},\"unsent\":[]}}".utf8).write(to: URL(filePath: file))
            let device = try Device(at: try server.plane.url, file: file)
            try await device.evidence.deliver()
        }
    }
}
#endif
