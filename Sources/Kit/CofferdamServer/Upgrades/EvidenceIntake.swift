#if Server
    import Cofferdam
    import CofferdamUpgrade

    /// Adds the reports of devices to the evidence. Posts that arrive while others are written are combined into one
    /// transaction. Its memory is bounded.
    actor EvidenceIntake {
        /// The outcome of a post.
        struct Receipt: Sendable, Hashable, Encodable {
            /// The number of units that are counted, now or already before.
            var counted = 0
            /// The number of units of another epoch. They count nowhere, and the device may forget them.
            var outdated = 0
            /// The number of units of builds, and of breakers, histograms and samples of operations, that this server does
            /// not know. They count nowhere.
            var dropped = 0
        }

        /// Too many windows wait to be written.
        struct Busy: Error {}

        private struct Waiting {
            var capability: String
            var reports: [EvidenceReport]
            var windows: Int
            /// Resumed with the number of units that were dropped.
            var continuation: CheckedContinuation<Int, any Error>
        }

        private struct Epoch: Hashable {
            var capability: String
            var number: Int
        }

        private struct Place: Hashable {
            var capability: String
            var key: EpochKey
            var epoch: Int
        }

        /// The names that devices used in an epoch.
        private struct Names {
            var operations: Set<String> = []
            var labels: Set<String> = []
        }

        /// The maximum number of windows, breakers, histograms and samples that may wait.
        static let maxWaiting = 200_000
        /// The maximum number of operations and labels of an epoch. Further ones count among all operations, or as
        /// "other".
        static let maxOperations = 63
        static let maxLabels = 16
        /// The maximum number of builds with one side each in an epoch. The counts of further ones are dropped.
        static let maxBuilds = 8
        private static let otherLabel = "other"

        private let store: any EvidenceStore
        private let devices: DeviceReports
        private let hub: StageHub
        private let known: KnownOperations
        private let builds: [String: [String: Side]]
        private let now: @Sendable () -> Int64
        private let executor: (any TaskExecutor)?
        private var waiting: [Waiting] = []
        private var waitingWindows = 0
        private var isWriting = false
        private var names: [Place: Names] = [:]

        init(
            _ store: any EvidenceStore,
            devices: DeviceReports,
            hub: StageHub,
            capabilities: [HostedCapability],
            now: @escaping @Sendable () -> Int64,
            executor: (any TaskExecutor)?
        ) {
            (self.store, self.devices, self.hub, self.now, self.executor) = (store, devices, hub, now, executor)
            known = KnownOperations(capabilities)
            builds = Dictionary(uniqueKeysWithValues: capabilities.map { ($0.name, $0.builds) })
        }

        /// Adds the reports. Returns once they are on disk.
        ///
        /// - Throws: ``Busy``; errors of the store, after which the device sends the same reports again.
        func add(_ reports: [EvidenceReport], of capability: String) async throws -> Receipt {
            var receipt = Receipt()
            let stage = hub.stage(of: capability)
            var current = reports.filter { $0.stage == stage?.stage && $0.epoch == stage?.epoch }
            receipt.outdated = reports.unitCount - current.unitCount
            let builds = builds[capability] ?? [:]
            if stage?.stage.comparesBuilds ?? false, !builds.isEmpty {
                let all = current.unitCount
                current.removeAll { builds[$0.build]?.rawValue != $0.side }
                receipt.dropped = all - current.unitCount
            }
            if let names = stage.flatMap(known.names) {
                let all = current.lineCount
                current = current.map { $0.lines(of: names) }
                receipt.dropped += all - current.lineCount
            }
            receipt.counted = current.unitCount
            guard receipt.counted > 0 || current.contains(where: \.hasDeviceLines) else { return receipt }
            let windows = current.reduce(0) { $1.units.reduce($0) { $0 + $1.windows.count } + $1.lineCount }
            guard waitingWindows + windows <= Self.maxWaiting else { throw Busy() }
            waitingWindows += windows
            let dropped = try await withCheckedThrowingContinuation { continuation in
                waiting.append(
                    Waiting(capability: capability, reports: current, windows: windows, continuation: continuation)
                )
                guard !isWriting else { return }
                isWriting = true
                Task(executorPreference: executor) { await self.write() }
            }
            receipt.counted -= dropped
            receipt.dropped += dropped
            return receipt
        }

        private func write() async {
            while !waiting.isEmpty {
                let posts = waiting
                waiting = []
                // Whether the units are counted.
                var results: [Place: Result<Bool, any Error>] = [:]
                var grouped: [Place: [EvidenceReport]] = [:]
                var deviceReports: [Epoch: [EvidenceReport]] = [:]
                for post in posts {
                    for report in post.reports {
                        if !report.units.isEmpty {
                            grouped[place(of: report, post.capability), default: []].append(report)
                        }
                        if report.hasDeviceLines {
                            deviceReports[epoch(of: report, post.capability), default: []].append(report)
                        }
                    }
                }
                for (place, reports) in grouped { results[place] = await save(reports, at: place) }
                var deviceResults: [Epoch: Result<Void, any Error>] = [:]
                for (epoch, reports) in deviceReports { deviceResults[epoch] = await save(reports, of: epoch) }
                for post in posts {
                    waitingWindows -= post.windows
                    post.continuation.resume(
                        with: Result {
                            var dropped = 0
                            for report in post.reports {
                                let isCounted = try results[place(of: report, post.capability)]?.get() ?? true
                                if !isCounted { dropped += report.units.count }
                                try deviceResults[epoch(of: report, post.capability)]?.get()
                            }
                            return dropped
                        }
                    )
                }
            }
            isWriting = false
        }

        private func place(of report: EvidenceReport, _ capability: String) -> Place {
            Place(capability: capability, key: report.key, epoch: report.epoch)
        }

        private func epoch(of report: EvidenceReport, _ capability: String) -> Epoch {
            Epoch(capability: capability, number: report.epoch)
        }

        private func save(_ reports: [EvidenceReport], of epoch: Epoch) async -> Result<Void, any Error> {
            do {
                try await devices.save(reports, of: epoch.capability, epoch: epoch.number)
                return .success(())
            } catch {
                return .failure(error)
            }
        }

        private func save(_ reports: [EvidenceReport], at place: Place) async -> Result<Bool, any Error> {
            do {
                guard let bounded = try await bounded(reports, at: place) else { return .success(false) }
                let changes = EvidenceChanges(bounded, under: place.key, epoch: place.epoch, at: now())
                _ = try await store.save(changes, of: place.capability)
                return .success(true)
            } catch {
                return .failure(error)
            }
        }

        /// The reports without more operations and labels than an epoch may have; nil if it has too many builds.
        private func bounded(_ reports: [EvidenceReport], at place: Place) async throws -> [EvidenceReport]? {
            guard var known = try await names(at: place) else { return nil }
            let allowed = hub.stage(of: place.capability).flatMap(self.known.names)
            defer {
                names = names.filter { $0.key.capability != place.capability || $0.key.epoch >= place.epoch }
                names[place] = known
            }
            return reports.map { report in
                var report = report
                for unit in report.units.indices {
                    var hasOthers: Set<String> = []
                    report.units[unit].windows = report.units[unit].windows.compactMap { window in
                        var window = window
                        if let allowed, let operation = window.operation, !allowed.contains(operation) {
                            guard hasOthers.insert(window.tally).inserted else { return nil }
                            window.operation = KnownOperations.others
                        }
                        return Self.bounded(window, &known)
                    }
                }
                return report
            }
        }

        private static func bounded(_ window: EvidenceReport.Window, _ known: inout Names) -> EvidenceReport.Window? {
            if let operation = window.operation, !known.operations.contains(operation) {
                guard known.operations.count < maxOperations else { return nil }
                known.operations.insert(operation)
            }
            var window = window
            window.marks = window.marks.map { mark in
                guard let label = EvidenceReport.Window.label(of: mark).map(String.init) else { return mark }
                if known.labels.contains(label) || known.labels.count < maxLabels {
                    known.labels.insert(label)
                    return mark
                }
                return String(mark.dropLast(label.count)) + otherLabel
            }
            return window
        }

        /// - Returns: nil if the epoch has too many builds.
        private func names(at place: Place) async throws -> Names? {
            if let known = names[place] { return known }
            let builds = try await store.arms(of: place.capability, epoch: place.epoch)
            let totals = builds.first { $0.key == place.key }
            guard totals != nil || builds.count < Self.maxBuilds else { return nil }
            return Names(operations: Set(totals?.operations ?? []), labels: totals?.labels ?? [])
        }
    }

    extension [EvidenceReport] {
        fileprivate var unitCount: Int { reduce(0) { $0 + $1.units.count } }
        fileprivate var lineCount: Int { reduce(0) { $0 + $1.lineCount } }
    }

    extension EvidenceReport {
        /// The most breakers of a device that may be open at once.
        private static let maxOpenBreakers = 20

        /// The report with what the device says about itself for those operations only.
        fileprivate func lines(of operations: Set<String>) -> EvidenceReport {
            var report = self
            let isOpen = report.breakers?.filter { operations.contains($0.operation) && $0.isOpen } ?? []
            let isClosed = report.breakers?.filter { operations.contains($0.operation) && !$0.isOpen } ?? []
            if report.breakers != nil { report.breakers = isClosed + isOpen.prefix(Self.maxOpenBreakers) }
            report.latencies = report.latencies?.filter { operations.contains($0.operation) }
            report.samples = report.samples?.filter { operations.contains($0.operation) }
            return report
        }
    }
#endif
