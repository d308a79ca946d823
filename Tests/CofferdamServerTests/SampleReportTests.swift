#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Testing
@testable import CofferdamServer

@Suite("Samples of mismatches") struct SampleReportTests {
    private static let shadow = Stage.shadow(sample: .all)

    private static func report(_ samples: EvidenceReport.Sample...) -> EvidenceReport {
        var report = Reports.report(shadow, epoch: 1, 0..<0, [])
        report.samples = samples
        return report
    }

    private static func sample(
        _ path: String,
        _ legacy: String? = "1",
        _ candidate: String? = "2",
        of operation: String = "place"
    ) -> EvidenceReport.Sample {
        EvidenceReport.Sample(operation: operation, path: path, legacy: legacy, candidate: candidate)
    }

    private static func words(_ server: TestServer) async throws -> [String] {
        try #require(try await server.status().samples)
            .map { "\($0.operation) \($0.path): \($0.legacy ?? "-") \($0.candidate ?? "-")" }
    }

    @Test func `each mismatch is kept once, under its operation, and survives the server`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            #expect(try await Self.words(server) == [])
            for _ in 0..<3 {
                try await server.report([Self.report(Self.sample("total"), Self.sample("total", nil, "3"))])
                try await server.report([Self.report(Self.sample("id", of: "cancel"), Self.sample("total"))])
            }
            await server.stop()
            try await server.start()
            try await server.report([Self.report(Self.sample("total"))])
            #expect(
                try await Set(Self.words(server)) == ["place total: 1 2", "place total: - 3", "cancel id: 1 2"]
            )
            #expect(try await Self.words(server).count == 3)
            let page = try await server.get("/capabilities/orders").text
            #expect(page.contains("Samples of mismatches") && page.contains("<td class=\"wide\">nothing</td>"))
            try await server.order("advance")
            #expect(try await Self.words(server) == [], "they are of one epoch")
        }
    }

    @Test func `a few mismatches are kept for each field and operation`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for number in 0..<40 {
                try await server.report([
                    Self.report(
                        Self.sample("lines[\(number)].price"),
                        Self.sample("field\(number)"),
                        Self.sample("total", "\(number)", of: "cancel")
                    )
                ])
            }
            let words = try await Self.words(server)
            #expect(words.count { $0.hasPrefix("place lines") } == 5)
            #expect(words.count { $0.hasPrefix("place") } == 20)
            #expect(words.count { $0.hasPrefix("cancel") } == 5)
        }
    }

    @Test func `texts are bounded, and hold no control character`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let good = Self.report(Self.sample("total"))
            for change: (inout EvidenceReport) -> Void in [
                { $0.samples?[0].operation = "" }, { $0.samples?[0].operation = "a\n" },
                { $0.samples?[0].path = String(repeating: "x", count: 1_025) },
                { $0.samples?[0].legacy = String(repeating: "x", count: 1_025) },
                { $0.samples?[0].candidate = String(repeating: "x", count: 1_025) },
                { $0.samples = Array(repeating: Self.sample("a"), count: 21) },
            ] {
                var attack = good
                change(&attack)
                #expect(try await server.report([attack]).status == 400)
            }
            let odd = Self.sample("a\u{1B}[2J", "\u{202E}b\n", String(repeating: "y", count: 1_000))
            #expect(try await server.report([Self.report(odd)]).status == 200)
            let expected = "place a\u{FFFD}[2J: \u{FFFD}b\u{FFFD} " + String(repeating: "y", count: 200)
            #expect(try await Self.words(server) == [expected])
        }
    }

    /// Counts a comparison as the routes would.
    private static func compare(_ device: Device, _ differences: [Difference]) {
        device.recorder.compared(
            ShadowComparison(
                capability: "orders",
                operation: "place",
                stage: device.control.state.stage,
                epoch: device.control.state.epoch,
                unit: "ada",
                outcome: differences.isEmpty ? .match : .mismatch,
                differences: differences
            )
        )
    }

    @Test func `if the app asks for it, a device posts a few mismatches as the comparator shows them`() async throws {
        struct Order {
            var total: Int
            var name: String
            var lines: [Int]
        }
        let comparator = Comparator<Order>().field("total", \.total).redactedField("name", \.name)
            .field("lines", \.lines)
        let differences = comparator.differences(
            legacy: Order(total: 1, name: "Ada", lines: [1]),
            candidate: Order(total: 2, name: "Ben", lines: [2]),
            subject: "place"
        )
        for limit in [0, 2, 9] {
            try await TestServer.with { server in
                try await server.order("advance")
                let device = try Device(
                    at: try server.plane.url,
                    file: server.folder + "/device.json",
                    samples: limit
                )
                await device.engine.start()
                for _ in 0..<2 {
                    Self.compare(device, differences)
                    await device.engine.save()
                    for _ in 0..<2 { try await device.evidence.deliver() }
                }
                let all = ["place lines: [1] [2]", "place name: (redacted) (redacted)", "place total: 1 2"]
                let expected = limit == 0 ? [] : limit == 2 ? Array(all.dropFirst()) : all
                #expect(try await Self.words(server) == expected)
            }
        }
    }
}
#endif
