#if Server
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamDevice
@testable import CofferdamServer

@Suite("A device against a real server") struct ClientTests {
    /// Runs the body with a device and a server at `canary(2000)`.
    private static func withCanary(
        _ change: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
        now: @escaping @Sendable () -> Int64 = { 1_800_000_000_000 },
        _ body: (TestServer, Device) async throws -> Void
    ) async throws {
        try await TestServer.with(change) { server in
            try await server.order("advance")
            try await server.order("advance")
            let device = try Device(at: try server.plane.url, file: server.folder + "/device.json", now: now)
            await device.engine.start()
            #expect(device.control.state.stage == .canary(share: 2000))
            try await body(server, device)
        }
    }

    private static let failed = RoutedCall.Outcome.failed(.failed, kind: "x")

    /// A clock that is right, one in the year 2001 and one in the year 2099.
    @Test(arguments: [1_800_000_000_000, 980_000_000_000, 4_100_000_000_000] as [Int64])
    func `a unit's outcome arrives, open and settled, whatever the device's clock says`(_ now: Int64) async throws {
        try await Self.withCanary(now: { now }) { server, device in
            device.call("ada", Self.failed)
            device.call("ada")
            await device.engine.save()
            try await device.evidence.deliver()
            let open = try await server.reading().metrics
            #expect(open[Metric.candidateFailures.includingOpenWindows] == FailureCounts(1, of: 1))
            #expect(open[.candidateFailures] == FailureCounts(1, of: 1), "a failure counts at once")
            device.call("ben")
            device.clock.advance(by: .seconds(601))
            await device.engine.save()
            try await device.evidence.deliver()
            try await device.evidence.deliver()
            let settled = try await server.reading().metrics
            #expect(settled[.candidateFailures] == FailureCounts(1, of: 2))
            #expect(settled[Metric.candidateFailures.of("place")] == FailureCounts(1, of: 2))
        }
    }

    @Test func `units counted offline survive the app, and count once`() async throws {
        try await Self.withCanary { server, device in
            device.call("ada", Self.failed)
            await device.engine.save()
            await server.stop()
            await #expect(throws: UpgradeStoreError.self) { try await device.evidence.deliver() }
            device.call("ben")
            device.clock.advance(by: .seconds(601))
            await device.engine.save()
            // The app restarts while the server is down, and the same units call again.
            let url = "http://127.0.0.1:1"
            let offline = try Device(at: url, file: server.folder + "/device.json")
            await #expect(throws: UpgradeStoreError.self) { try await offline.evidence.deliver() }

            try await server.start()
            let again = try Device(at: try server.plane.url, file: server.folder + "/device.json")
            await again.engine.start()
            again.call("ada")
            again.call("ben", Self.failed)
            await again.engine.save()
            try await again.evidence.deliver()
            let metrics = try await server.reading().metrics
            #expect(metrics[.candidateFailures] == FailureCounts(1, of: 2), "later calls do not count")
            #expect(metrics[Metric.candidateFailures.includingOpenWindows] == FailureCounts(1, of: 2))
        }
    }

    @Test func `a post whose answer was lost is posted again, and counts once`() async throws {
        try await Self.withCanary { server, device in
            device.call("ada", Self.failed)
            await device.engine.save()
            let file = try Data(contentsOf: URL(filePath: server.folder + "/device.json"))
            try await device.evidence.deliver()
            // As if the app had ended before it noted the answer.
            try file.write(to: URL(filePath: server.folder + "/device.json"))
            let again = try Device(at: try server.plane.url, file: server.folder + "/device.json")
            try await again.evidence.deliver()
            #expect(
                try await server.reading().metrics[Metric.candidateFailures.includingOpenWindows]
                    == FailureCounts(1, of: 1)
            )
        }
    }

    @Test func `the legacy side's baseline comes from devices`() async throws {
        try await TestServer.with { server in
            for number in 0..<3 {
                let device = try Device(at: try server.plane.url, file: server.folder + "/device\(number).json")
                await device.engine.start()
                device.call("unit \(number)", number == 0 ? Self.failed : .answered, side: .legacy)
                await device.engine.save()
                for _ in 0..<2 { try await device.evidence.deliver() }
            }
            let evidence = try #require(try server.plane.parts.upgrades["orders"]).evidence
            let start = UpgradeState(capability: "orders", since: 0)
            let baseline = try #require(try await evidence.baseline(of: start, minimum: 3))
            #expect(baseline.units == FailureCounts(1, of: 3))
            let slow = LatencyHistogram.rounded(1_000_000) + 5_000_000
            #expect(baseline.operations["place"]?.slowNanoseconds == slow, "1 ms and the margin of 5 ms")
            #expect(try await evidence.baseline(of: start, minimum: 4) == nil)
        }
    }

    @Test func `the server never learns who a unit is`() async throws {
        try await Self.withCanary { server, device in
            device.call("ada@example.com")
            await device.engine.save()
            try await device.evidence.deliver()
            await server.stop()
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder)
            for name in names where name.hasPrefix("upgrades") {
                let path = server.folder + "/" + name
                // SQLite may remove its log after the listing.
                guard name == "upgrades.sqlite" || FileManager.default.fileExists(atPath: path) else { continue }
                let data = try Data(contentsOf: URL(filePath: path))
                #expect(data.firstRange(of: Data("ada@example.com".utf8)) == nil)
            }
        }
    }

    @Test func `a kill switch reaches a device that waits`() async throws {
        try await Self.withCanary { server, device in
            let (changes, pen) = AsyncStream.makeStream(of: Void.self)
            let token = device.control.watch { pen.yield() }
            let work = Task { try await device.engine.run() }
            // The device's long poll waits for at most 50 s, by the server's clock.
            await server.clock.waitForSleeper(until: .seconds(50))
            try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
            for await _ in changes where device.control.state.kill != nil { break }
            #expect(device.control.state.stage() == .legacyOnly)
            #expect(device.control.state.kill?.reason == "see the server's audit log")
            work.cancel()
            _ = await work.result
            _ = token
        }
    }

    @Test func `a call that is cancelled says nothing about the server`() async throws {
        try await Self.withCanary { server, device in
            let (store, evidence) = (device.store, device.evidence)
            device.call("ada", Self.failed)
            await device.engine.save()
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await store.read("orders") }
                await #expect(throws: CancellationError.self) { try await evidence.deliver() }
                await device.engine.refresh()
            }
            await cancelled.value
            #expect(device.engine.status.notes == [])
        }
    }

    @Test func `a device changes nothing, but its own abort holds there`() async throws {
        try await Self.withCanary { server, device in
            try await device.engine.abort(by: "device", reason: "it crashes here")
            #expect(device.control.state.stage() == .legacyOnly)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.stage == .canary(share: 2000))
            try await server.order("abort")
            await device.engine.refresh()
            #expect(device.engine.status.pendingRequests.isEmpty, "the server has gone back too")
        }
    }

    @Test func `a report that the server never accepts does not hold up others`() async throws {
        try await Self.withCanary({ $0.window = .seconds(300) }) { server, device in
            device.call("ada")
            await device.engine.save()
            let error = await #expect(throws: UpgradeStoreError.self) { try await device.evidence.deliver() }
            #expect(error?.message.hasSuffix("this server counts windows of 300 s") == true)
            try await device.evidence.deliver()
        }
    }

    @Test func `an upgrade that the server does not have holds up no others`() async throws {
        try await Self.withCanary { server, device in
            device.call("ada")
            await device.engine.save()
            // The app has another upgrade too, whose turn comes first.
            let file = server.folder + "/device.json"
            let counted = try Data(contentsOf: URL(filePath: file))
            var kept = try JSONDecoder().decode([String: DeviceEvidence].self, from: counted)
            kept["catalogue"] = kept["orders"]
            try JSONEncoder().encode(kept).write(to: URL(filePath: file))
            let (pauses, pen) = AsyncStream.makeStream(of: Duration.self)
            let pacing = Pacing(pause: { pen.yield($0) })
            let evidence = try Device(at: try server.plane.url, file: file, pacing: pacing).evidence

            let error = await #expect(throws: UpgradeStoreError.self) { try await evidence.deliver() }
            #expect(error?.message.hasPrefix("the server refuses with 404") == true)
            let reading = try await server.reading()
            #expect(
                reading.metrics[Metric.candidateFailures.includingOpenWindows] == FailureCounts(0, of: 1)
            )
            #expect(reading.installations == InstallationCounts(enrolled: 1), "it enrols with the other's post")

            // Nor are they posted more rarely.
            let posting = Task { try await evidence.run() }
            var seen: [Duration] = []
            for await pause in pauses {
                seen.append(pause)
                if seen.count == 2 { break }
            }
            posting.cancel()
            _ = await posting.result
            #expect(seen == [.seconds(30), .seconds(30)])
        }
    }

    @Test func `errors and descriptions contain no token`() async throws {
        try await TestServer.with { server in
            let url = try server.plane.url + "/"
            let wrong = UpgradeServer(url, token: "secret-of-nobody", transport: .curl(server.client))
            let error = await #expect(throws: UpgradeStoreError.self) {
                try await ServerUpgradeStore(wrong).read("orders")
            }
            #expect(error?.message == "the server refuses with 401: the token is not valid")
            for text in ["\(wrong)", String(reflecting: wrong), "\(error as Any)"] {
                #expect(!text.contains("secret-of"))
            }
            var dumped = ""
            dump(wrong, to: &dumped)
            #expect(!dumped.contains("secret-of"))
        }
    }

    @Test func `a server that does not wait is not polled without a pause`() async throws {
        let receiver = try LoopbackServer()
        let stage = ServedStage(nil, of: "orders")
        let text = String(decoding: try JSONEncoder().encode(stage), as: UTF8.self)
        receiver.answers { request in request.lowercased().contains("if-none-match") ? (304, "") : (200, text) }
        let (pauses, pen) = AsyncStream.makeStream(of: Duration.self)
        let server = UpgradeServer("http://\(receiver.address)", token: "x", transport: .curl(CurlClient()))
        let pacing = Pacing(pause: { pen.yield($0) }, random: { 0.5 })
        let changes = ServerUpgradeStore(server, pacing: pacing).changes(of: "orders")
        let reading = Task { for await _ in changes {} }
        var seen: [Duration] = []
        for await pause in pauses {
            seen.append(pause)
            if seen.count == 3 { break }
        }
        reading.cancel()
        await reading.value
        #expect(seen == (1...3).map { Backoff().wait(attempt: $0, random: 0.5) })
    }

    @Test func `a device keeps no more units than its limit`() async throws {
        try await Self.withCanary({ $0.enrolmentsPerHour = 0 }) { server, device in
            for number in 0..<DeviceEvidence.maxUnits + 200 { device.call("unit \(number)") }
            await device.engine.save()
            try await device.evidence.deliver()
            let metrics = try await server.reading().metrics
            #expect(
                metrics[Metric.candidateFailures.includingOpenWindows]
                    == FailureCounts(0, of: DeviceEvidence.maxUnits)
            )
        }
    }

    @Test func `a file that holds something else is refused, and stays as it is`() async throws {
        try await TestServer.with { server in
            let file = server.folder + "/device.json"
            try Data("nonsense".utf8).write(to: URL(filePath: file))
            #expect(throws: UpgradeStoreError.self) { try Device(at: "http://127.0.0.1:1", file: file) }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "nonsense")
        }
    }
}
#endif
