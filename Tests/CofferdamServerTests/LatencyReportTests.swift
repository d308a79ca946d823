#if Server
import Cofferdam
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Testing
@testable import CofferdamServer

@Suite("Latencies of devices") struct LatencyReportTests {
    private static let shadow = Stage.shadow(sample: .all)
    private static let ms: Int64 = 1_000_000

    private static func report(_ device: Int, side: Side = .candidate, _ calls: (Int64, Int64)...) -> EvidenceReport {
        Reports.latencies(shadow, epoch: 1, device: device, side: side, calls.map { ($0.0, $0.1 * ms) })
    }

    /// "place candidate: 3 calls, 1 ms, 5 ms": percentiles in whole milliseconds.
    private static func words(_ server: TestServer) async throws -> [String] {
        try #require(try await server.status().latencies).map {
            "\($0.operation ?? "all") \($0.side): \($0.calls) calls, \($0.p50Nanoseconds / ms) ms, \($0.p95Nanoseconds / ms) ms"
        }
    }

    @Test func `a call counts once, however the reports are repeated and reordered`() async throws {
        let story = [
            Self.report(1, (3, 10)), Self.report(1, (5, 10), (1, 100)), Self.report(1, (9, 10), (1, 100)),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2, 0, 1], [2, 2], [0, 2, 1, 1]] {
            try await TestServer.with { server in
                try await server.order("advance")
                #expect(try await Self.words(server) == [])
                for place in order { #expect(try await server.report([story[place]]).status == 200) }
                let all = ["all candidate: 10 calls, 10 ms, 100 ms", "place candidate: 10 calls, 10 ms, 100 ms"]
                #expect(try await Self.words(server) == all, "\(order)")
            }
        }
    }

    @Test func `both sides are shown beside each other on the page, over all devices and restarts`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            #expect(try await !server.get("/capabilities/orders").text.contains("Legacy p50, p95"))
            try await server.report([
                Reports.report(Self.shadow, epoch: 1, 0..<9, Reports.windows("comparisons", ["match"]))
            ])
            for device in 0..<20 {
                try await server.report([Self.report(device, side: .legacy, (10, 4)), Self.report(device, (10, 8))])
                if device == 9 {
                    await server.stop()
                    try await server.start()
                }
            }
            try await server.report([Self.report(3, (10, 8), (50, 200))])
            #expect(
                try await Self.words(server) == [
                    "all legacy: 200 calls, 4 ms, 4 ms", "place legacy: 200 calls, 4 ms, 4 ms",
                    "all candidate: 250 calls, 8 ms, 201 ms", "place candidate: 250 calls, 8 ms, 201 ms",
                ]
            )
            let page = try await server.get("/capabilities/orders").text
            #expect(page.contains("Legacy p50, p95") && page.contains("Candidate p50, p95"))
            #expect(page.contains(">4.06 ms, 4.06 ms<") && page.contains(">8.13 ms, 201.3 ms<"))
        }
    }

    @Test func `a new epoch begins with none`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            try await server.report([Self.report(1, (3, 10))])
            try await server.order("advance")
            try await server.report([Self.report(2, (3, 10))])
            #expect(try await Self.words(server) == [])
            try await server.report([
                Reports.latencies(.canary(share: 2000), epoch: 2, device: 1, [(1, 20 * Self.ms)])
            ])
            #expect(try await Self.words(server).last == "place candidate: 1 calls, 20 ms, 20 ms")
        }
    }

    @Test func `names and numbers are bounded, and no sum of them stops the server`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let good = Self.report(1, (3, 10))
            for change: (inout EvidenceReport) -> Void in [
                { $0.device = nil }, { $0.latencies?[0].operation = "" },
                { $0.latencies?[0].operation = "a\u{202E}" }, { $0.latencies?[0].buckets = [[1]] },
                { $0.latencies?[0].buckets = [[1, 1, 1]] }, { $0.latencies?[0].buckets = [[-1, 1]] },
                { $0.latencies?[0].buckets = [[.max, 1]] }, { $0.latencies?[0].buckets = [[1_000, 1]] },
                { $0.latencies?[0].buckets = [[1, 0]] }, { $0.latencies?[0].buckets = [[1, .max]] },
                { $0.latencies?[0].buckets = Array(repeating: [1, 1], count: 2_001) },
                { $0.latencies = Array(repeating: .init(operation: "a", side: .legacy, buckets: []), count: 127) },
            ] {
                var attack = good
                change(&attack)
                #expect(try await server.report([attack]).status == 400)
            }
            let most: Int64 = 1 << 40
            for device in 0..<20 {
                for operation in ["a", "b", "c"] {
                    let calls = (0..<50).map { (most, Int64($0) * Self.ms) }
                    try await server.report([
                        Reports.latencies(Self.shadow, epoch: 1, device: device, of: operation, calls)
                    ])
                }
            }
            #expect(try await Self.words(server).count == 4)
        }
    }

    @Test func `a restart of the app does not count a call twice, and another installation counts separately`()
        async throws
    {
        try await TestServer.with { server in
            for _ in 0..<2 { try await server.order("advance") }
            func device(_ name: String) async throws -> Device {
                let device = try Device(at: try server.plane.url, file: "\(server.folder)/\(name).json")
                await device.engine.start()
                return device
            }
            func deliver(_ device: Device) async throws {
                await device.engine.save()
                try await device.evidence.deliver()
            }
            let first = try await device("one")
            first.call("ada", took: .milliseconds(10))
            first.call("ada", side: .legacy, took: .milliseconds(5))
            try await deliver(first)
            first.call("ben", took: .milliseconds(10))
            await first.engine.save()
            let again = try await device("one")
            again.call("cleo", took: .milliseconds(10))
            for _ in 0..<2 { try await deliver(again) }
            #expect(try await Self.words(server).contains("all candidate: 3 calls, 10 ms, 10 ms"))
            #expect(try await Self.words(server).contains("place legacy: 1 calls, 5 ms, 5 ms"))
            let other = try await device("two")
            other.call("ada", took: .milliseconds(10))
            other.call("ada", .cancelled, took: .seconds(60))
            try await deliver(other)
            #expect(try await Self.words(server).contains("all candidate: 4 calls, 10 ms, 10 ms"))
        }
    }

    @Test func `later calls of a unit are reported with its next change`() async throws {
        try await TestServer.with { server in
            for _ in 0..<2 { try await server.order("advance") }
            let device = try Device(at: try server.plane.url, file: server.folder + "/device.json")
            await device.engine.start()
            for _ in 0..<3 {
                device.call("ada", took: .milliseconds(10))
                await device.engine.save()
            }
            try await device.evidence.deliver()
            #expect(try await Self.words(server).last == "place candidate: 1 calls, 10 ms, 10 ms")
            device.clock.advance(by: .seconds(601))
            await device.engine.save()
            try await device.evidence.deliver()
            #expect(try await Self.words(server).last == "place candidate: 3 calls, 10 ms, 10 ms")
        }
    }
}
#endif
