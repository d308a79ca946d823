#if Server
import CofferdamUpgrade

/// What devices report about themselves rather than about units: their breakers, how long their calls took, and a
/// few mismatches.
struct DeviceReports: Sendable {
    let log: SQLiteUpgradeLog
    let limits: DeviceLimits
    /// Returns the time in milliseconds since 1970.
    let now: @Sendable () -> Int64

    init(_ log: SQLiteUpgradeLog, _ configuration: ControlPlaneConfiguration) {
        (self.log, now) = (log, configuration.now)
        var limits = DeviceLimits()
        limits.breakerAlarm = configuration.breakerAlarm
        self.limits = limits
    }

    /// Saves reports, all of that epoch. Returns once they are on disk.
    func save(_ reports: [EvidenceReport], of capability: String, epoch: Int) async throws {
        let reports = reports.map(\.withPlainSamples)
        try await log.save(devices: reports, of: capability, epoch: epoch, limits: limits, at: now())
    }

    /// The breakers that opened in that epoch.
    func breakers(of capability: String, epoch: Int) async throws -> [BreakerTotals] {
        try await log.breakers(of: capability, epoch: epoch, limits: limits, at: now())
    }

    /// How long the calls of that epoch took.
    func latencies(of capability: String, epoch: Int) async throws -> [LatencyTotals] {
        try await log.latencies(of: capability, epoch: epoch)
    }

    /// A few mismatches of that epoch.
    func samples(of capability: String, epoch: Int) async throws -> [MismatchSample] {
        try await log.samples(of: capability, epoch: epoch)
    }
}

extension EvidenceReport {
    /// Whether the device reports about itself.
    var hasDeviceLines: Bool { lineCount > 0 }

    /// The number of breakers, histograms and samples in the report.
    var lineCount: Int { (breakers?.count ?? 0) + (latencies?.count ?? 0) + (samples?.count ?? 0) }

    /// The report with sanitized samples: an app's values may contain any characters, which must not reach a page
    /// or a log.
    fileprivate var withPlainSamples: EvidenceReport {
        guard let samples else { return self }
        var report = self
        report.samples = samples.map { sample in
            EvidenceReport.Sample(
                operation: sample.operation,
                path: sample.path.plain(),
                legacy: sample.legacy?.plain(),
                candidate: sample.candidate?.plain()
            )
        }
        return report
    }
}
#endif
