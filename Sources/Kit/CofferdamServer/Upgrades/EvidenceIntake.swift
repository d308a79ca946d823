#if Server
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
        }

        /// Too many windows wait to be written.
        struct Busy: Error {}

        private struct Waiting {
            var capability: String
            var reports: [EvidenceReport]
            var windows: Int
            var continuation: CheckedContinuation<Void, any Error>
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
            now: @escaping @Sendable () -> Int64,
            executor: (any TaskExecutor)?
        ) {
            (self.store, self.devices, self.hub, self.now, self.executor) = (store, devices, hub, now, executor)
        }

        /// Adds the reports. Returns once they are on disk.
        ///
        /// - Throws: ``Busy``; errors of the store, after which the device sends the same reports again.
        func add(_ reports: [EvidenceReport], of capability: String) async throws -> Receipt {
            var receipt = Receipt()
            let stage = hub.stage(of: capability)
            let current = reports.filter { $0.stage == stage?.stage && $0.epoch == stage?.epoch }
            receipt.counted = current.reduce(0) { $0 + $1.units.count }
            receipt.outdated = reports.reduce(0) { $0 + $1.units.count } - receipt.counted
            guard receipt.counted > 0 || current.contains(where: \.hasDeviceLines) else { return receipt }
            let windows = current.reduce(0) { $1.units.reduce($0) { $0 + $1.windows.count } + $1.lineCount }
            guard waitingWindows + windows <= Self.maxWaiting else { throw Busy() }
            waitingWindows += windows
            try await withCheckedThrowingContinuation { continuation in
                waiting.append(
                    Waiting(capability: capability, reports: current, windows: windows, continuation: continuation)
                )
                guard !isWriting else { return }
                isWriting = true
                Task(executorPreference: executor) { await self.write() }
            }
            return receipt
        }

        private func write() async {
            while !waiting.isEmpty {
                let posts = waiting
                waiting = []
                var results: [Place: Result<Void, any Error>] = [:]
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
                    let all = post.reports.flatMap { report in
                        [
                            results[place(of: report, post.capability)],
                            deviceResults[epoch(of: report, post.capability)],
                        ]
                        .compactMap(\.self)
                    }
                    post.continuation.resume(with: Result { for result in all { try result.get() } })
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

        private func save(_ reports: [EvidenceReport], at place: Place) async -> Result<Void, any Error> {
            do {
                let bounded = try await bounded(reports, at: place)
                let changes = EvidenceChanges(bounded, under: place.key, epoch: place.epoch, at: now())
                _ = try await store.save(changes, of: place.capability)
                return .success(())
            } catch {
                return .failure(error)
            }
        }

        /// The reports without more operations and labels than an epoch may have.
        private func bounded(_ reports: [EvidenceReport], at place: Place) async throws -> [EvidenceReport] {
            guard var known = try await names(at: place) else { return [] }
            defer {
                names = names.filter { $0.key.capability != place.capability || $0.key.epoch >= place.epoch }
                names[place] = known
            }
            return reports.map { report in
                var report = report
                for unit in report.units.indices {
                    report.units[unit].windows = report.units[unit].windows.compactMap { window in
                        Self.bounded(window, &known)
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
#endif
