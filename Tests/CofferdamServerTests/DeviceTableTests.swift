#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import TestSupport
import Testing

@testable import CofferdamServer

@Suite struct DeviceTableTests {
    private static func withLog(_ body: (SQLiteUpgradeLog) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "devices-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        try await body(try SQLiteUpgradeLog(path: folder + "/upgrades.sqlite"))
    }

    private static func report(_ device: UInt64, epoch: Int = 1, _ number: Int = 1) -> EvidenceReport {
        var report = EvidenceReport(
            stage: .shadow(sample: .all),
            epoch: epoch,
            window: 600,
            build: "",
            side: nil,
            units: []
        )
        report.device = device.hexadecimal
        report.breakers = [
            .init(operation: "place", side: .candidate, number: number, isOpen: !number.isMultiple(of: 2), at: 1)
        ]
        return report
    }

    @Test func `the breakers of an epoch are bounded, and those that are kept still change`() async throws {
        try await Self.withLog { log in
            var limits = DeviceLimits()
            (limits.maxBreakers, limits.breakerAlarm) = (10, 5)
            for device in 0..<30 as Range<UInt64> {
                let report = Self.report(device)
                try await log.save(devices: [report, report], of: "a", epoch: 1, limits: limits, at: 1)
            }
            func totals() async throws -> [BreakerTotals] {
                try await log.breakers(of: "a", epoch: 1, limits: limits, at: 1)
            }
            #expect(try await totals().map(\.opened) == [10])
            let closed = (0..<30 as Range<UInt64>).map { Self.report($0, 2) }
            try await log.save(devices: closed, of: "a", epoch: 1, limits: limits, at: 1)
            #expect(try await totals().map(\.open) == [0])
            #expect(try await totals().map(\.opened) == [10])
        }
    }

    @Test func `a new epoch removes the rows of the one before, of its capability only`() async throws {
        try await Self.withLog { log in
            let limits = DeviceLimits()
            for capability in ["a", "b"] {
                try await log.save(devices: [Self.report(1)], of: capability, epoch: 1, limits: limits, at: 1)
            }
            try await log.save(devices: [Self.report(2, epoch: 2)], of: "a", epoch: 2, limits: limits, at: 1)
            #expect(try await log.breakers(of: "a", epoch: 1, limits: limits, at: 1).isEmpty)
            #expect(try await log.breakers(of: "a", epoch: 2, limits: limits, at: 1).map(\.opened) == [1])
            #expect(try await log.breakers(of: "b", epoch: 1, limits: limits, at: 1).map(\.opened) == [1])
        }
    }

    @Test func `of many devices a sample is kept, the same in whatever order they report`() async throws {
        var limits = DeviceLimits()
        limits.maxTimedDevices = 5
        let devices: [UInt64] = (1...40).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
        var seen: Set<[LatencyTotals]> = []
        for seed in 1...4 as ClosedRange<UInt64> {
            var dice = SplitMix64(seed: seed)
            // Each device reports twice, and the second report has the calls of the first.
            let reports = devices.flatMap { device in
                ([1, 2] as [Int64]).map { calls in
                    var report = Self.report(device)
                    let bucket = LatencyHistogram.rounded(Int64(device >> 40))
                    report.breakers = nil
                    report.latencies = [
                        .init(operation: "place", side: .legacy, buckets: [[bucket, calls]])
                    ]
                    return report
                }
            }
            try await Self.withLog { log in
                for report in reports.shuffled(using: &dice) {
                    try await log.save(devices: [report], of: "a", epoch: 1, limits: limits, at: 1)
                }
                seen.insert(try await log.latencies(of: "a", epoch: 1))
            }
        }
        #expect(seen.count == 1)
        #expect(seen.first?.map(\.calls) == [10, 10], "two calls of each of five devices")
    }

    @Test func `percentiles are those of the calls one by one, but for the width of a bucket`() {
        var dice = SplitMix64(seed: 7)
        for count in [1, 2, 19, 20, 21, 1_000] {
            let durations = (0..<count).map { _ in Int64.random(in: 0..<5_000_000_000, using: &dice) }
            var histogram = LatencyHistogram()
            for duration in durations { histogram.record(duration) }
            for percent in [50, 95, 99] {
                let exact = durations.sorted()[Int((Double(count * percent) / 100).rounded(.up)) - 1]
                #expect(histogram.percentile(percent) == LatencyHistogram.rounded(exact))
            }
        }
        var huge = LatencyHistogram()
        huge.add(.max, of: 1)
        #expect(huge.percentile(95) == 1)
    }

    @Test func `notices stand beside the audit log, not in it`() async throws {
        try await Self.withLog { log in
            #expect(try await log.news(for: "hook", limit: 9).isEmpty)
            try await log.save(devices: [Self.report(1)], of: "a", epoch: 1, limits: DeviceLimits(), at: 1)
            let news = try await log.news(for: "hook", limit: 9)
            guard case .breaker(let notice) = news.first?.news else {
                Issue.record("there is no notice")
                return
            }
            #expect(notice.kind == .opened)
            #expect(try await log.history(of: "a", last: 9).isEmpty)
            #expect(try await log.entry(notice.id, of: "a") == nil)
        }
    }

    @Test func `a breaker that was closed before its first report is no notice, and one that opens later is`()
        async throws
    {
        try await Self.withLog { log in
            #expect(try await log.news(for: "hook", limit: 9).isEmpty)
            func notices(after report: EvidenceReport) async throws -> [BreakerNotice] {
                try await log.save(devices: [report], of: "a", epoch: 1, limits: DeviceLimits(), at: 1)
                return try await log.news(for: "hook", limit: 9).compactMap { numbered -> BreakerNotice? in
                    guard case .breaker(let notice) = numbered.news else { return nil }
                    return notice
                }
            }
            // Its app was offline when the breaker opened, and has been ended since.
            #expect(try await notices(after: Self.report(1, 2)) == [])
            let opened = try await notices(after: Self.report(2, 1))
            #expect(opened.map(\.kind) == [.opened] && opened.map(\.open) == [1])
            #expect(try await notices(after: Self.report(2, 2)) == opened)
        }
    }
}
#endif
