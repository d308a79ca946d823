#if Server
import Cofferdam
import CofferdamDevice
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
        /// not know, and of units beyond those that an installation counts for. They count nowhere.
        var dropped = 0
        /// Why an installation's units were dropped, for people; nil if none were for its sake.
        var reason: String?
    }

    /// Too many windows wait to be written.
    struct Busy: Error {}

    private struct Waiting {
        /// That of all its reports.
        var epoch: Epoch
        var reports: [EvidenceReport]
        var windows: Int
        /// The one that signed it; nil for none.
        var installation: EnrolledInstallation?
        /// How many of its units do not count, because the installation reports too many.
        var surplus = 0
        /// Why it cannot be saved; nil if nothing is known against it.
        var failure: (any Error)?
        /// Resumed with the number of units that were dropped, and how many of them as surplus.
        var continuation: CheckedContinuation<(Int, surplus: Int), any Error>

        /// The places where a report counts: among those of all, and of each kind that the installation is of.
        func places(of report: EvidenceReport) -> [Place] {
            let isAttested = installation?.isAttested ?? false
            let kinds: [CountedInstallations] = isAttested ? [.enrolled, .attested] : [.enrolled]
            return ([nil] + (installation == nil ? [] : kinds)).map { kind in
                var key = report.key
                key.installations = kind
                return Place(capability: epoch.capability, key: key, epoch: report.epoch)
            }
        }

        /// Drops all units but those.
        mutating func keep(_ units: Set<UInt64>) {
            let all = reports.unitCount
            for place in reports.indices {
                reports[place].units.removeAll { !units.contains($0.number) }
            }
            surplus = all - reports.unitCount
        }
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

    /// The maximum number of windows, breakers, histograms and samples that may wait.
    static let maxWaiting = 200_000
    /// The maximum number of builds with one side each in an epoch. The counts of further ones are dropped.
    static let maxBuilds = 8

    private let ledger: any EvidenceLedger
    private let enrolments: Enrolments
    private let devices: DeviceReports
    private let hub: StageHub
    private let known: KnownOperations
    private let builds: [String: [String: Side]]
    private let now: @Sendable () -> Int64
    private let executor: (any TaskExecutor)?
    private var waiting: [Waiting] = []
    private var waitingWindows = 0
    private var isWriting = false
    /// The places that the ledger has, or will have.
    private var places: Set<Place> = []

    init(
        _ ledger: any EvidenceLedger,
        enrolments: Enrolments,
        devices: DeviceReports,
        hub: StageHub,
        capabilities: [HostedCapability],
        now: @escaping @Sendable () -> Int64,
        executor: (any TaskExecutor)?
    ) {
        (self.ledger, self.devices, self.hub, self.now, self.executor) = (ledger, devices, hub, now, executor)
        self.enrolments = enrolments
        known = KnownOperations(capabilities)
        builds = Dictionary(uniqueKeysWithValues: capabilities.map { ($0.name, $0.builds) })
    }

    /// Adds the reports. Returns once they are on disk.
    ///
    /// - Parameter installation: the one that signed them; nil for none.
    /// - Throws: ``Busy``; errors of the store, after which the device sends the same reports again.
    func add(
        _ reports: [EvidenceReport],
        of capability: String,
        from installation: EnrolledInstallation? = nil
    ) async throws -> Receipt {
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
        let (dropped, surplus): (Int, surplus: Int) = try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Waiting(
                    epoch: Epoch(capability: capability, number: stage?.epoch ?? 0),
                    reports: current,
                    windows: windows,
                    installation: installation,
                    continuation: continuation
                )
            )
            guard !isWriting else { return }
            isWriting = true
            Task(executorPreference: executor) { await self.write() }
        }
        receipt.counted -= dropped
        receipt.dropped += dropped
        if surplus > 0 {
            receipt.reason =
                "\(surplus) units: an installation counts for at most \(Enrolments.maxUnits) units in an epoch"
        }
        return receipt
    }

    private func write() async {
        while !waiting.isEmpty {
            let arrived = waiting
            waiting = []
            let posts = await admitted(arrived)
            // Whether the units are counted.
            var results: [Place: Result<Bool, any Error>] = [:]
            var grouped: [Place: [EvidenceReport]] = [:]
            var deviceReports: [Epoch: [EvidenceReport]] = [:]
            for post in posts {
                for report in post.reports {
                    for place in post.places(of: report) where !report.units.isEmpty {
                        grouped[place, default: []].append(report)
                    }
                    if report.hasDeviceLines { deviceReports[post.epoch, default: []].append(report) }
                }
            }
            for (place, reports) in grouped { results[place] = await save(reports, at: place) }
            var deviceResults: [Epoch: Result<Void, any Error>] = [:]
            for (epoch, reports) in deviceReports { deviceResults[epoch] = await save(reports, of: epoch) }
            for post in posts {
                waitingWindows -= post.windows
                post.continuation.resume(
                    with: Result {
                        if let failure = post.failure { throw failure }
                        var dropped = post.surplus
                        for report in post.reports {
                            // The places of the installations' kinds are full only if that of all is.
                            let isCounted = try post.places(of: report).map { try results[$0]?.get() ?? true }
                            if isCounted.first == false { dropped += report.units.count }
                            try deviceResults[post.epoch]?.get()
                        }
                        return (dropped, surplus: post.surplus)
                    }
                )
            }
        }
        isWriting = false
    }

    /// The posts, without units beyond those that their installations count for.
    private func admitted(_ posts: [Waiting]) async -> [Waiting] {
        var posts = posts
        let signed = posts.indices.filter { posts[$0].installation != nil }
        for (epoch, places) in Dictionary(grouping: signed, by: { posts[$0].epoch }) {
            do {
                let units = try await enrolments.admit(
                    places.map { (posts[$0].installation?.id ?? "", posts[$0].reports.unitNumbers) },
                    of: epoch.capability,
                    epoch: epoch.number
                )
                for (place, units) in zip(places, units) { posts[place].keep(units) }
            } catch {
                for place in places { (posts[place].reports, posts[place].failure) = ([], error) }
            }
        }
        return posts
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
            guard try await hasRoom(for: place) else { return .success(false) }
            let rows = EvidenceRows(
                ofKnownOperations(reports, place.capability),
                under: place.key,
                epoch: place.epoch,
                at: now()
            )
            try await ledger.merge(rows, of: place.capability)
            return .success(true)
        } catch {
            return .failure(error)
        }
    }

    /// The reports with the operations that are known. Each unit has the first of its others, as one of their own.
    private func ofKnownOperations(_ reports: [EvidenceReport], _ capability: String) -> [EvidenceReport] {
        guard let allowed = hub.stage(of: capability).flatMap(known.names) else { return reports }
        return reports.map { report in
            var report = report
            for unit in report.units.indices {
                var hasOthers: Set<String> = []
                report.units[unit].windows = report.units[unit].windows.compactMap { window in
                    guard let operation = window.operation, !allowed.contains(operation) else { return window }
                    guard hasOthers.insert(window.tally).inserted else { return nil }
                    var window = window
                    window.operation = KnownOperations.others
                    return window
                }
            }
            return report
        }
    }

    /// Whether the place is one of those of an epoch, or has room among them.
    private func hasRoom(for place: Place) async throws -> Bool {
        if places.contains(place) { return true }
        let keys = try await ledger.builds(of: place.capability, epoch: place.epoch).map(\.key)
        let same = keys.count { $0.installations == place.key.installations }
        guard keys.contains(place.key) || same < Self.maxBuilds else { return false }
        places = places.filter { $0.capability != place.capability || $0.epoch >= place.epoch }
        places.insert(place)
        return true
    }
}

extension [EvidenceReport] {
    fileprivate var unitCount: Int { reduce(0) { $0 + $1.units.count } }
    fileprivate var unitNumbers: [UInt64] { flatMap(\.units).map(\.number) }
    fileprivate var lineCount: Int { reduce(0) { $0 + $1.lineCount } }
}

extension EvidenceReport.Unit {
    /// Its digits as a number: 0 for others, which ``ReportCheck`` refuses.
    fileprivate var number: UInt64 { UInt64(unit, radix: 16) ?? 0 }
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
