#if Server
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamPages
import CofferdamUpgrade
import Foundation

/// The cases that pass or fail only since an earlier run.
struct ContractChanges: Sendable, Hashable {
    var newlyPassing = 0
    var newlyFailing = 0

    init(from before: ContractReport, to now: ContractReport) {
        let known = Dictionary(before.rows.map { ($0.id, $0.outcome) }) { first, _ in first }
        for row in now.rows {
            let earlier = known[row.id]
            if row.outcome == .passed, let earlier, earlier != .passed { newlyPassing += 1 }
            if row.outcome.isFailure, earlier?.isFailure != true { newlyFailing += 1 }
        }
    }
}

/// The last reports that a capability's team published.
struct PublishedReports: Sendable {
    /// A report, with its publication. The content is nil if this version of the server cannot read it.
    struct Item<Content: Sendable>: Sendable {
        var publication: Publication
        var content: Content?
    }

    var contracts: Item<ContractReport>?
    /// The earlier runs of the contract that are kept, newest first.
    var earlier: [Publication]
    var drift: Item<DriftReport>?
    /// The day for which the verdict holds.
    var day: CalendarDay
    /// The contracts with their verdict on that day; nil without a contract report.
    var document: ContractDocument?
    var ruleCounts: [RuleCounts]

    init(
        _ capability: String,
        contracts: Item<ContractReport>?,
        earlier: [Publication] = [],
        drift: Item<DriftReport>?,
        day: CalendarDay
    ) {
        (self.contracts, self.earlier, self.drift, self.day) = (contracts, earlier, drift, day)
        document = contracts?.content.map {
            ContractDocument(name: "Contracts of \(capability)", report: $0, drift: drift?.content, today: day)
        }
        ruleCounts = document?.ruleCounts ?? []
    }
}

/// The reports that teams publish on their capabilities. They are read when a page first needs them.
final class TeamReports: Sendable {
    private struct Known {
        /// The number of publications so far.
        var generation = 0
        var reports: PublishedReports?
    }

    /// The maximum number of publications kept of each kind.
    static let kept = 1_000
    /// The maximum number of runs of the contract kept, with the last one. A run has at most as many bytes as a request.
    static let keptRuns = 20
    /// The maximum size of a page, in bytes.
    private static let maxPage = 16 << 20

    private let log: SQLiteUpgradeLog
    private let now: @Sendable () -> Int64
    private let known = Mutex<[String: Known]>([:])
    let pages = RenderedPages()

    init(_ log: SQLiteUpgradeLog, now: @escaping @Sendable () -> Int64) { (self.log, self.now) = (log, now) }

    private var today: CalendarDay { CalendarDay(secondsSince1970: Int(now() / 1_000)) }

    // MARK: Publishing

    /// Why a report is refused, with the place in it; nil if it is accepted.
    func problem(of report: ContractReport) async -> String? {
        if let excess = report.excess { return excess }
        let today = today
        let size = await pages.run {
            let document = ContractDocument(name: "", report: report, today: today)
            return ConsoleRules(name: "", document: document, choice: .init()).markup.description.utf8.count
        }
        return size <= Self.maxPage ? nil : "its page would have more than \(Self.maxPage) bytes"
    }

    /// Publishes a report, which replaces the last one of its kind.
    ///
    /// - Parameters:
    ///   - by: the name of the token.
    ///   - id: a publication with the same id is made once.
    /// - Returns: the publication, or the existing one with that id or that report.
    func publish(_ report: TeamReport, by: String, id: String) async throws -> Publication {
        let publication = Publication(
            id: id,
            kind: report.kind,
            at: now(),
            by: by,
            sha256: Digest.hexadecimal(Digest.sha256(of: report.json)),
            size: report.json.count
        )
        let made = try await log.publish(
            report,
            publication,
            keeping: Self.kept,
            reports: report.kind == .contracts ? Self.keptRuns : 1
        )
        known.withLock { known in
            known[report.capability, default: Known()].generation += 1
            known[report.capability]?.reports = nil
        }
        return made
    }

    // MARK: Reading

    /// The last report of a kind, as stored.
    func report(_ kind: TeamReport.Kind, of capability: String) async throws
        -> (publication: Publication, report: TeamReport)?
    {
        try await log.report(kind, of: capability)
    }

    /// The last publications, newest first.
    func publications(of capability: String, last count: Int) async throws -> [Publication] {
        try await log.publications(of: capability, last: count)
    }

    /// The last reports, or none if they cannot be read.
    func known(of capability: String) async -> PublishedReports {
        if let reports = try? await reports(of: capability) { return reports }
        return PublishedReports(capability, contracts: nil, drift: nil, day: today)
    }

    /// The last reports, with today's verdict.
    func reports(of capability: String) async throws -> PublishedReports {
        let today = today
        let (generation, reports) = known.withLock { known in
            (known[capability]?.generation ?? 0, known[capability]?.reports)
        }
        if let reports, reports.day == today { return reports }
        let read = PublishedReports(
            capability,
            contracts: try await item(.contracts, of: capability),
            earlier: try await log.earlierPublications(.contracts, of: capability),
            drift: try await item(.drift, of: capability),
            day: today
        )
        known.withLock { known in
            // A newer report may have been published meanwhile.
            guard known[capability]?.generation ?? 0 == generation else { return }
            known[capability, default: Known()].reports = read
        }
        return read
    }

    /// The earlier run with that id, or the one before the last if there is none.
    func run(_ id: String?, of capability: String, in reports: PublishedReports) async throws -> EarlierReport? {
        guard let publication = reports.earlier.first(where: { $0.id == id }) ?? reports.earlier.first else {
            return nil
        }
        return try await log.earlierReport(publication, of: capability)
    }

    private func item<Content: Decodable & Sendable>(
        _ kind: TeamReport.Kind,
        of capability: String
    ) async throws -> PublishedReports.Item<Content>? {
        guard let found = try await log.report(kind, of: capability) else { return nil }
        // An earlier version of the server may have stored it.
        let content = try? JSONDecoder().decode(Content.self, from: Data(found.report.json))
        return PublishedReports.Item(publication: found.publication, content: content)
    }
}
#endif
