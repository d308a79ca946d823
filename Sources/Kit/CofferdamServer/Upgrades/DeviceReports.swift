#if Server
    import CofferdamUpgrade

    /// What devices report of themselves, and not of units: their breakers, how long their calls took, and a few
    /// mismatches.
    struct DeviceReports: Sendable {
        let log: SQLiteUpgradeLog
        let limits: DeviceLimits
        /// Milliseconds since 1970.
        let now: @Sendable () -> Int64

        init(_ log: SQLiteUpgradeLog, _ configuration: ControlPlaneConfiguration) {
            (self.log, now) = (log, configuration.now)
            var limits = DeviceLimits()
            limits.breakerAlarm = configuration.breakerAlarm
            self.limits = limits
        }

        /// Returns when the reports, all of that epoch, are on disk.
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
        /// Whether the device reports of itself.
        var isOfDevice: Bool { lineCount > 0 }

        /// How many breakers, histograms and samples it has.
        var lineCount: Int { (breakers?.count ?? 0) + (latencies?.count ?? 0) + (samples?.count ?? 0) }

        /// The values of an app may have any characters, which reach no page and no log.
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
