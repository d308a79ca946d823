#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import HTTPTypes

/// The routes of the console: pages for people, their forms, and the events that notify an open page of changes.
struct ConsoleRoutes: Sendable {
    let parts: ServerParts
    private let forms = FormGuard()

    init(parts: ServerParts) { self.parts = parts }

    /// The number of audit log entries that a page shows, by default and at most.
    private static let (shownEntries, maxEntries) = (20, 200)

    var routes: [ServerRoute] {
        [
            ServerRoute(name: "GET /", method: .get, path: [], right: .readStatus, isPage: true) { _, _, _ in
                try await overview()
            },
            ServerRoute(
                name: "GET /capabilities/{name}",
                method: .get,
                path: ["capabilities", nil],
                right: .readStatus,
                isPage: true
            ) { call, _, _ in try await page(call) },
            ServerRoute(name: "GET /live", method: .get, path: ["live"], right: .readStatus, isPage: true) {
                _,
                _,
                _ in try live()
            },
        ]
            + UpgradeRequestBody.changes.map { move in
                ServerRoute(
                    name: "POST /capabilities/{name}/\(move)",
                    method: .post,
                    path: ["capabilities", nil, move],
                    right: .change,
                    isPage: true,
                    isStop: UpgradeRequestBody.stops.contains(move)
                ) { call, body, _ in try await change(call, body, move) }
            }
    }

    private var upgrades: [HostedUpgrade] { parts.upgrades.values.sorted { $0.name < $1.name } }

    // MARK: Pages

    private func overview() async throws -> Reply {
        var all: [ConsoleUpgrade] = []
        for upgrade in upgrades {
            all.append(ConsoleUpgrade(upgrade, try await parts.status(of: upgrade, history: Self.shownEntries)))
        }
        return .page(ConsolePage.overview(all, now: parts.configuration.now()))
    }

    private func page(_ call: Call) async throws -> Reply {
        let upgrade = try parts.upgrade(call.path[1])
        var page = try await page(of: upgrade, call)
        if let id = call.query["entry"] {
            if let entry = try? await upgrade.store.entry(id, of: upgrade.name) {
                page.notice = .done(HistoryLine(entry))
            } else if let pending = upgrade.engine?.status.pendingRequests.first(where: { $0.id == id }) {
                page.notice = .inForce(pending)
            }
        }
        return .page(page.html)
    }

    private func page(of upgrade: HostedUpgrade, _ call: Call) async throws -> ConsolePage {
        let asked = call.query["history"].flatMap(Int.init) ?? Self.shownEntries
        let count = min(max(1, asked), Self.maxEntries)
        let status = try await parts.status(of: upgrade, history: count)
        let now = parts.configuration.now()
        // Without the database, the page still shows the stage and the buttons that stop it.
        let reports = await parts.reports.known(of: upgrade.name)
        var page = ConsolePage(
            upgrade: ConsoleUpgrade(upgrade, status),
            contracts: ConsoleContracts(name: upgrade.name, reports: reports, now: now),
            series: parts.history.series(of: upgrade.name),
            now: now,
            entries: count,
            maxEntries: Self.maxEntries
        )
        if let holder = call.holder, holder.role.has(.change) {
            page.forms = ConsoleForms(
                token: forms.token(of: holder),
                makeID: UpgradeEngine.randomID,
                costOfGoingBack: parts.configuration.costOfGoingBack
            )
        }
        return page
    }

    // MARK: Forms

    private func change(_ call: Call, _ body: [UInt8], _ move: String) async throws -> Reply {
        let upgrade = try parts.upgrade(call.path[1])
        let form = try FormFields(body)
        try forms.check(call, token: form["token"])
        guard let id = form["request"], ControlPlaneConfiguration.isName(id) else {
            throw HTTPRefusal(.badRequest, "invalidBody", "the form has no id: open the page again")
        }
        do {
            let order = UpgradeRequestBody(form)
            // A stop works from any page, and waits for no other work of the database.
            let isStop = try order.move(move).isStop
            let clock = parts.configuration.clock
            let wasSent =
                isStop
                ? (try? await abandoning(after: .milliseconds(200), on: clock, executor: nil) {
                    try await isUsed(id, of: upgrade)
                }) ?? false
                : try await isUsed(id, of: upgrade)
            guard !wasSent || isStop else {
                throw HTTPRefusal(
                    .conflict,
                    "formUsed",
                    "this form was already sent, and the upgrade has changed since: look at it, and decide again"
                )
            }
            let own = wasSent ? UpgradeEngine.randomID() : id
            if !isStop { try await refuseIfOutdated(order, of: upgrade, id) }
            let made = try await parts.carryOut(move, order, on: upgrade, call, id: own)
            let place = "/capabilities/\(upgrade.name)?entry=\(made.entry.id)#notice"
            return Reply(status: .seeOther, headers: [.location: place])
        } catch var refusal as HTTPRefusal {
            var page = try await page(of: upgrade, call)
            page.notice = .refused(refusal.message, refusal.reasons)
            page.forms?.draft = (move, form["reason"] ?? "")
            refusal.page = page.html
            throw refusal
        }
    }

    /// Asks again if the upgrade has changed since the form's page was made, and shows what has. A stop works from any page.
    ///
    /// - Throws: ``HTTPRefusal`` with 409.
    private func refuseIfOutdated(_ order: UpgradeRequestBody, of upgrade: HostedUpgrade, _ id: String) async throws {
        guard let seen = order.from?.revision, let now = parts.hub.stage(of: upgrade.name)?.revision, now > seen
        else { return }
        let entries = try await upgrade.store.history(of: upgrade.name, last: min(Int(clamping: now - seen), 5))
        // Sent twice, it is the change.
        guard entries.first?.id != id else { return }
        var refusal = HTTPRefusal(
            .conflict,
            "movedOn",
            "since you looked, the upgrade has changed. Press again if it is still right."
        )
        refusal.lines = entries.map { HistoryLine($0).sentence }
        throw refusal
    }

    /// A form that is submitted twice in a row makes one change. A form of an old page that was submitted before
    /// would change nothing now, and must not look as if it had.
    private func isUsed(_ id: String, of upgrade: HostedUpgrade) async throws -> Bool {
        let last = try await upgrade.store.history(of: upgrade.name, last: 1).first
        guard last?.id != id else { return false }
        return try await upgrade.store.entry(id, of: upgrade.name) != nil
    }

    // MARK: Live

    private struct Change: Encodable {
        var capability: String
        /// "stage" or "evidence".
        var what: String

        var event: String {
            get throws { "event: change\ndata: \(String(decoding: try ServerJSON.bytes(self), as: UTF8.self))\n\n" }
        }
    }

    /// Sends each change of a stage, and new evidence at most once a second.
    private func live() throws -> Reply {
        let names = upgrades.map(\.name)
        let stages = names.compactMap { name in parts.hub.stages(of: name, for: .page).map { (name, $0) } }
        guard stages.count == names.count, let evidence = parts.live.changes() else {
            throw HTTPRefusal(
                .serviceUnavailable,
                "busy",
                "too many clients are waiting, or the server is stopping"
            )
        }
        let sleep = parts.sleep
        var sources: [@Sendable (AsyncStream<String>.Continuation) async throws -> Void] = stages.map { stage in
            { pen in for await _ in stage.1 { pen.yield(try Change(capability: stage.0, what: "stage").event) } }
        }
        sources.append { pen in
            for await _ in evidence.signals {
                for name in evidence.take().sorted() {
                    pen.yield(try Change(capability: name, what: "evidence").event)
                }
                try await sleep(.seconds(1))
            }
        }
        return .events(sources, sleep: sleep)
    }
}
#endif
