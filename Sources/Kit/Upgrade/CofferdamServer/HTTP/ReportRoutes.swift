#if Server
import CofferdamContracts
import CofferdamUpgrade
import HTTPTypes
import Logging

/// The routes for a team's reports. The team's tool publishes them, and people and their tools read them.
struct ReportRoutes: Sendable {
    let parts: ServerParts

    var routes: [ServerRoute] {
        let capability = "/v1/capabilities/{name}"
        return TeamReport.Kind.allCases.flatMap { kind in
            [
                ServerRoute(
                    name: "PUT \(capability)/\(kind)",
                    method: .put,
                    path: ["v1", "capabilities", nil, kind.rawValue],
                    right: .change,
                    maxBody: parts.configuration.maxReport
                ) { call, body, _ in try await publish(kind, body, call) },
                ServerRoute(
                    name: "GET \(capability)/\(kind)",
                    method: .get,
                    path: ["v1", "capabilities", nil, kind.rawValue],
                    right: .readStatus
                ) { call, _, _ in try await report(kind, call) },
            ]
        } + [
            ServerRoute(
                name: "GET \(capability)/publications",
                method: .get,
                path: ["v1", "capabilities", nil, "publications"],
                right: .readStatus
            ) { call, _, _ in try await publications(call) },
            ServerRoute(
                name: "GET /capabilities/{name}/contracts",
                method: .get,
                path: ["capabilities", nil, "contracts"],
                right: .readStatus,
                isPage: true
            ) { call, _, _ in try await page(call) },
        ]
    }

    // MARK: Publishing

    private struct Published: Encodable {
        var publication: Line
    }

    /// A publication as the API shows it.
    private struct Line: Encodable {
        var id: String
        var kind: TeamReport.Kind
        var at: String
        var by: String
        var sha256: String
        var size: Int

        init(_ publication: Publication) {
            (id, kind, by) = (publication.id, publication.kind, publication.by)
            (sha256, size) = (publication.sha256, publication.size)
            at = ShownTime.date(millisecondsSince1970: publication.at)
        }
    }

    private func publish(_ kind: TeamReport.Kind, _ body: [UInt8], _ call: Call) async throws -> Reply {
        let name = try parts.upgrade(call.path[2]).name
        let id = try call.id
        let json: [UInt8]
        switch kind {
        case .contracts:
            let report = try ServerJSON.decode(ContractReport.self, body)
            try Self.check(await parts.reports.problem(of: report))
            json = try ServerJSON.bytes(report)
        case .drift:
            let report = try ServerJSON.decode(DriftReport.self, body)
            try Self.check(report.excess)
            json = try ServerJSON.bytes(report)
        }
        let publication = try await parts.reports.publish(
            TeamReport(kind, of: name, json: json),
            by: call.holder?.name ?? "",
            id: id
        )
        parts.logger.notice("\(name): \(kind) published by \(publication.by)")
        parts.live.evidenceChanged(of: name)
        return try .json(Published(publication: Line(publication)))
    }

    private static func check(_ problem: String?) throws(HTTPRefusal) {
        if let problem { throw HTTPRefusal(.badRequest, "invalidReport", problem) }
    }

    // MARK: Reading

    private func report(_ kind: TeamReport.Kind, _ call: Call) async throws -> Reply {
        let name = try parts.upgrade(call.path[2]).name
        guard let found = try await parts.reports.report(kind, of: name) else {
            throw HTTPRefusal(.notFound, "notPublished", "no \(kind) report has been published for this capability")
        }
        let reply = Reply(body: .bytes(found.report.json, type: "application/json"))
        return reply.tagged("\"\(found.publication.sha256)\"", for: call)
    }

    private struct Publications: Encodable {
        var publications: [Line]
    }

    private func publications(_ call: Call) async throws -> Reply {
        let name = try parts.upgrade(call.path[2]).name
        let found = try await parts.reports.publications(of: name, last: call.count("last", default: 50))
        return try .json(Publications(publications: found.map { Line($0) }))
    }

    // MARK: The page

    /// The number of publications that the page shows.
    private static let shownPublications = 20

    private func page(_ call: Call) async throws -> Reply {
        let name = try parts.upgrade(call.path[1]).name
        let reports = try await parts.reports.reports(of: name)
        let log = try await parts.reports.publications(of: name, last: Self.shownPublications)
        let shown = [reports.contracts?.publication, reports.drift?.publication].compactMap(\.self) + log
        let contracts = ConsoleContracts(name: name, reports: reports, now: parts.configuration.now())
        let choice = ConsoleRules.Choice(call.query)
        let before = try await parts.reports.run(choice.since, of: name, in: reports)
        let page = await parts.reports.pages.page(
            .init(capability: name, day: reports.day, publications: shown, choice: choice)
        ) { contracts.page(log, choice, since: before) }
        return Reply.page(page.html).tagged(page.tag, for: call)
    }
}
#endif
