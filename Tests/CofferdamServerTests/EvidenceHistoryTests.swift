#if Server
import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("The evidence over time") struct EvidenceHistoryTests {
    private static func point(_ minute: Double, promotion: Double? = 0.5) -> EvidenceSeries.Point {
        EvidenceSeries.Point(at: Int64(minute * 60_000), promotion: promotion, rollback: nil, counts: .none)
    }

    @Test func `a series has a point a minute at most, and never more than 200`() throws {
        var series = EvidenceSeries(epoch: 1)
        let added = [0, 0.9, 1].map { series.add(Self.point($0)) }
        #expect(added == [true, false, true])
        for minute in 2..<198 { _ = series.add(Self.point(Double(minute))) }
        #expect(series.points.count == 198)
        for minute in 198..<20_000 {
            _ = series.add(Self.point(Double(minute)))
            #expect(series.points.count <= 200)
        }
        let times = series.points.map(\.at)
        #expect(times.first == 0 && times.count > 90)
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 == gaps[0] }, "evenly spread")
        #expect(try JSONDecoder().decode(EvidenceSeries.self, from: JSONEncoder().encode(series)) == series)
    }

    @Test func `points later than a clock that was set back are dropped`() {
        var series = EvidenceSeries(epoch: 1)
        for minute in [0.0, 1, 150, 2] { _ = series.add(Self.point(minute)) }
        #expect(series.points.map(\.at) == [0, 60_000, 120_000])
    }

    private static func report(_ units: Range<Int>, to server: TestServer) async throws {
        let windows = Reports.windows("comparisons", ["match"])
        try await server.report([Reports.report(.shadow(sample: .all), epoch: 1, units, windows)])
    }

    private static func record(_ server: TestServer, minutes: Int64 = 1) async throws {
        let parts = try server.plane.parts
        try await parts.history.record(try #require(parts.upgrades["orders"]))
        server.time.withLock { $0 += minutes * 60_000 }
    }

    @Test func `the chart grows, survives a restart, and starts again with a new epoch`() async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            let empty = try await server.get("/capabilities/orders").text
            #expect(!empty.contains("Evidence over time"))
            for number in 0..<5 {
                try await Self.report(number * 100..<(number + 1) * 100, to: server)
                try await Self.record(server)
            }
            func series() throws -> EvidenceSeries? { try server.plane.parts.history.series(of: "orders") }
            let points = try #require(try series()).points
            #expect(points.map(\.counts.total) == [100, 200, 300, 400, 500])
            let promotions = points.compactMap(\.promotion)
            #expect(promotions.count == 5 && promotions == promotions.sorted() && promotions[0] < promotions[4])
            let page = try await server.get("/capabilities/orders").text
            for text in [
                "Evidence over time", "<svg class=\"chart\"", "evidence ln E, as a fraction of the threshold",
                "time, minutes", "class=\"threshold\"", "to promote: the weakest test", "The numbers",
            ] {
                #expect(page.contains(text), "\(text)")
            }
            await server.stop()
            try await server.start()
            #expect(try series()?.points.prefix(5).map(\.counts.total) == [100, 200, 300, 400, 500])
            try await server.order("advance")
            let canary = Reports.report(.canary(share: 2000), epoch: 2, 0..<9, Reports.windows("candidate"))
            try await server.report([canary])
            #expect(try await !server.get("/capabilities/orders").text.contains("<svg class=\"chart\""))
            try await Self.record(server)
            #expect(try series()?.epoch == 2)
            #expect(try series()?.points.count == 1)
        }
    }

    @Test func `a running server keeps a point each minute by its clock`() async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            try await Self.report(0..<100, to: server)
            await server.clock.waitForSleeper(until: .seconds(60))
            server.time.withLock { $0 += 60_000 }
            server.clock.advance(by: .seconds(60))
            let history = try server.plane.parts.history
            await until { history.series(of: "orders")?.points.last?.counts.total == 100 }
        }
    }
}
#endif
