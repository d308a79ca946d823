#if Server
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamCurl
import CofferdamDevice
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
@testable import CofferdamServer

@Suite("A team publishes its contracts and its drift") struct TeamReportTests {
    private static let contracts = "/v1/capabilities/orders/contracts"
    private static let drift = "/v1/capabilities/orders/drift"
    private static let page = "/capabilities/orders/contracts"

    private struct Published: Decodable {
        var publication: Line
    }

    private struct Publications: Decodable {
        var publications: [Line]
    }

    private struct Line: Decodable {
        var id: String
        var kind: String
        var at: String
        var by: String
        var sha256: String
        var size: Int
    }

    @discardableResult
    private static func put(
        _ path: String,
        _ body: String,
        to server: TestServer,
        as role: ServerRole? = .operator,
        key: String? = nil
    ) async throws -> TestServer.Answer {
        var headers: HTTPFields = [:]
        if let key { headers[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        return try await server.send(.put, path, as: role, body, headers: headers)
    }

    private static func publications(of server: TestServer) async throws -> [Line] {
        try await server.get("/v1/capabilities/orders/publications").json(Publications.self).publications
    }

    @Test func `a published report can be read, with who published it and when`() async throws {
        try await TestServer.with { server in
            #expect(try await server.get(Self.contracts).code == "notPublished")
            let report = TeamRuns.contracts()
            let answer = try await Self.put(Self.contracts, try TeamRuns.json(report), to: server)
            #expect(answer.status == 200)
            let line = try answer.json(Published.self).publication
            #expect(line.kind == "contracts" && line.by == "operator" && line.at == "2027-01-15T08:00:00Z")
            let read = try await server.get(Self.contracts)
            #expect(try read.json(ContractReport.self) == report)
            #expect(read.text.utf8.count == line.size)
            #expect(Digest.sha256(of: read.text) == line.sha256)
            let tag = try #require(read.headers[.eTag])
            #expect(tag == "\"\(line.sha256)\"")
            #expect(try await server.get(Self.contracts, headers: [.ifNoneMatch: tag]).status == 304)

            #expect(try await Self.put(Self.drift, try TeamRuns.json(TeamRuns.drift()), to: server).status == 200)
            #expect(try await server.get(Self.drift).json(DriftReport.self) == TeamRuns.drift())
            #expect(try await Self.publications(of: server).map(\.kind) == ["drift", "contracts"])
            #expect(server.log.text.contains("orders: contracts published by operator"))
            let unknown = Self.contracts.replacing("orders", with: "others")
            #expect(try await Self.put(unknown, try TeamRuns.json(report), to: server).status == 404)
        }
    }

    @Test func `a repeat changes nothing, and a late one replaces nothing`() async throws {
        try await TestServer.with { server in
            let (old, new) = (
                try TeamRuns.json(TeamRuns.contracts()), try TeamRuns.json(TeamRuns.contracts(failing: true))
            )
            let first = try await Self.put(Self.contracts, old, to: server, key: "a").json(Published.self)
            server.time.withLock { $0 += 60_000 }
            let again = try await Self.put(Self.contracts, old, to: server).json(Published.self)
            #expect(again.publication.at == first.publication.at, "the same report")
            try await Self.put(Self.contracts, new, to: server, key: "b")
            let late = try await Self.put(Self.contracts, old, to: server, key: "a").json(Published.self)
            #expect(late.publication.at == first.publication.at)
            #expect(
                try await server.get(Self.contracts).json(ContractReport.self) == TeamRuns.contracts(failing: true)
            )
            #expect(try await Self.publications(of: server).map(\.id) == ["b", "a"])
            // A report of another kind.
            try await Self.put(Self.drift, try TeamRuns.json(TeamRuns.drift()), to: server, key: "a")
            #expect(try await Self.publications(of: server).map(\.id) == ["a", "b", "a"])
            #expect(try await Self.put(Self.contracts, old, to: server, key: "a b").code == "invalidHeader")
            try await Self.put(Self.contracts, old, to: server)
            #expect(try await server.get(Self.contracts).json(ContractReport.self) == TeamRuns.contracts())
        }
    }

    @Test func `it survives a restart, and is in a backup`() async throws {
        try await TestServer.with { server in
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts(failing: true)), to: server)
            try await Self.put(Self.drift, try TeamRuns.json(TeamRuns.drift()), to: server)
            let (page, log) = (try await server.get(Self.page).text, try await Self.publications(of: server))
            let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
            try ServerBackup.write(database, to: copy)
            await server.stop()
            try await server.start()
            #expect(try await server.get(Self.page).text == page)
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts()), to: server)
            #expect(try await server.get(Self.page).text != page)
            await server.stop()
            try ServerBackup.restore(copy, to: database, replacing: true)
            try await server.start()
            #expect(try await server.get(Self.page).text == page)
            #expect(try await Self.publications(of: server).map(\.sha256) == log.map(\.sha256))
        }
    }

    @Test func `the page has the rules, their reasons and the drift, with a link back and its origin`() async throws {
        try await TestServer.with { server in
            let empty = try await server.get(Self.page).text
            #expect(empty.contains("No run of the contract has been published yet"))
            #expect(try await server.get("/capabilities/orders").text.contains("no contracts"))
            try await Self.put(Self.drift, try TeamRuns.json(TeamRuns.drift()), to: server)
            #expect(try await server.get(Self.page).text.contains("1 error, 0 warn, 1 info in 1 calls"))

            let report = TeamRuns.contracts(failing: true)
            try await Self.put(Self.contracts, try TeamRuns.json(report), to: server)
            server.time.withLock { $0 += 7_200_000 }
            let page = try await server.get(Self.page).text
            #expect(page.contains("may we upgrade: no") && page.contains("contract: fails"))
            #expect(page.contains("There is no earlier run to compare with."))
            #expect(page.contains("<strong class=\"bad\">failed</strong> <bdi>item 3 is missing</bdi>"))
            #expect(page.contains("GET-01 of order on v2") && page.contains("3 cases do not apply, for 3 reasons"))
            #expect(page.contains("<a href=\"/capabilities/orders\">orders</a>"))
            let origin =
                #"<time datetime="2027-01-15T08:00:00Z">2027-01-15 08:00:00 UTC</time>, by <bdi>operator</bdi>."#
            #expect(page.contains("Contracts published: \(origin) Drift published: \(origin)"))
            let summary = try #require(
                try await server.get("/capabilities/orders").text.components(separatedBy: "id=\"contracts\"").last?
                    .components(separatedBy: "</section>").first
            )
            #expect(summary.contains("contract: fails") && summary.contains("may we upgrade: no"))
            let cells = summary.matches(of: /<th scope="row">(.+?)<\/th>(.+?)<\/tr>/).map { match in
                "\(match.1) " + match.2.replacing("<td class=\"number\">", with: "").replacing("</td>", with: " ")
            }
            #expect(cells == ["v1 2 0 0 0 1 0 ", "v2 1 1 0 0 1 0 ", "fake 2 0 0 0 1 0 "])
            #expect(summary.contains("1 error, 0 warn, 1 info in 1 calls, 7 things compared"))
            #expect(summary.contains("2 h ago, by <bdi>operator</bdi>") && summary.contains("2027-01-14"))
            #expect(summary.contains("href=\"/capabilities/orders/contracts\""))
        }
    }

    @Test func `a run is compared with the one before, also after a restart`() async throws {
        try await TestServer.with { server in
            for (isFailing, changes) in [
                (true, nil), (false, "1 newly passing, 0 newly failing"), (true, "0 newly passing, 1 newly failing"),
            ] {
                let report = TeamRuns.contracts(failing: isFailing)
                try await Self.put(Self.contracts, try TeamRuns.json(report), to: server)
                let page = try await server.get(Self.page).text
                #expect(page.contains(changes.map { "Since the last run: \($0)." } ?? "There is no earlier run"))
            }
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts(failing: true)), to: server)
            await server.stop()
            try await server.start()
            #expect(try await server.get(Self.page).text.contains("0 newly passing, 1 newly failing"))
        }
    }

    @Test func `the last 20 runs are kept, and an earlier one can be chosen to compare with`() async throws {
        try await TestServer.with { server in
            func choices(_ page: String) -> [String] {
                page.matches(of: #/<option value="([^"]*)"/#).map { String($0.output.1) }
            }
            for number in 1...22 {
                let report = TeamRuns.contracts("2027-01-14", failing: number.isMultiple(of: 2))
                server.time.withLock { $0 += 60_000 }
                try await Self.put(Self.contracts, try TeamRuns.json(report), to: server, key: "run-\(number)")
                if number == 2 { #expect(!(try await server.get(Self.page).text.contains("name=\"since\""))) }
            }
            let page = try await server.get(Self.page).text
            #expect(choices(page) == [""] + (3...20).reversed().map { "run-\($0)" })
            #expect(page.contains("Since the last run: 0 newly passing, 1 newly failing."))
            let chosen = try await server.get(Self.page + "?since=run-20&show=problems").text
            #expect(chosen.contains("Since the run of 2027-01-15 08:20:00 UTC: 0 newly passing, 0 newly failing."))
            let name = "since 2027-01-15 08:20:00 UTC, by operator"
            #expect(chosen.contains("<option value=\"run-20\" selected=\"selected\">\(name)</option>"))
            #expect(chosen.contains("?show=problems&amp;rule=GET-01&amp;since=run-20#rule"))
            #expect(chosen.contains("contracts?since=run-20\">all 3 rules"))
            for gone in ["run-2", "run-22", "%22%3E"] {
                let page = try await server.get(Self.page + "?since=\(gone)").text
                #expect(page.contains("Since the last run: 0 newly passing, 1 newly failing."), "\(gone)")
            }
            await server.stop()
            try await server.start()
            #expect(try await server.get(Self.page + "?since=run-20&show=problems").text == chosen)
        }
    }

    @Test func `an earlier run that cannot be read is not called missing`() async throws {
        try await TestServer.with { server in
            let old = Publication(id: "old", kind: .contracts, at: 0, by: "ci", sha256: "", size: 2)
            let report = TeamReport(.contracts, of: "orders", json: Array("{}".utf8))
            _ = try await server.plane.parts.log.publish(report, old, keeping: 9, reports: 9)
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts()), to: server)
            let page = try await server.get(Self.page).text
            #expect(page.contains("Not compared with the last run: this server cannot read its report."))
            #expect(!page.contains("There is no earlier run"))
        }
    }

    @Test func `what is shown is chosen in the address, without a script`() async throws {
        func ids(_ page: String) -> [String] {
            page.matches(of: #/rule=([A-Z]+-\d+)[^"]*#rule"/#).map { String($0.output.1) }
        }
        try await TestServer.with { server in
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts(failing: true)), to: server)
            #expect(ids(try await server.get(Self.page).text) == ["LIST-01", "GET-01", "GET-08"])
            let problems = try await server.get(Self.page + "?show=problems").text
            #expect(ids(problems) == ["GET-01"] && !problems.contains("cases do not apply"))
            #expect(problems.contains("?show=problems&amp;rule=GET-01#rule"))
            #expect(ids(try await server.get(Self.page + "?words=cached%20network").text) == ["GET-08"])
            #expect(ids(try await server.get(Self.page + "?words=order").text) == ["GET-01"])
            let none = try await server.get(Self.page + "?words=%3Cscript%3E").text
            #expect(none.contains("No rule is like that") && none.contains("value=\"&lt;script&gt;\""))
            let rule = try await server.get(Self.page + "?rule=GET-01").text
            #expect(rule.contains("<h2 id=\"rule\">GET-01</h2>") && rule.contains("An item that is there is found"))
            #expect(rule.contains("<th scope=\"row\">order</th><td>✓ passed</td><td>✗ failed</td><td>✓ passed</td>"))
            #expect(try await server.get(Self.page + "?rule=none").text.contains("id=\"rule\"") == false)
        }
    }

    @Test func `drift is shown once for each id and field`() async throws {
        try await TestServer.with { server in
            var report = DriftReport(legacy: "v1", candidate: "v2")
            let differences = (0..<40).map {
                Difference(subject: "o-\($0)", path: "lines[\($0)].quantity", legacy: "\($0)?", candidate: "\($0)")
            }
            let known = KnownDrift(id: "D2", call: "orders", path: "lines[*].quantity", reason: "0 means both")
            report.add(call: "orders", compared: 40, differences, knowing: [known])
            try await Self.put(Self.drift, try TeamRuns.json(report), to: server)
            let page = try await server.get(Self.page).text
            #expect(page.contains("<bdi>orders, lines[*].quantity</bdi> (D2), 40 times"))
            #expect(page.contains("<p class=\"muted\"><bdi>0 means both</bdi></p>"))
            #expect(page.matches(of: #/class="muted">info/#).count == 1)
        }
    }

    @Test func `a verdict expires on the page`() async throws {
        try await TestServer.with { server in
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts()), to: server)
            let before = try await server.get("/capabilities/orders").text
            #expect(before.contains("may we upgrade: yes until 2027-01-28"))
            server.time.withLock { $0 += 14 * 86_400_000 }
            let page = try await server.get("/capabilities/orders").text
            #expect(page.contains("may we upgrade: unknown"))
            #expect(try await server.get(Self.page).text.contains("the run was valid until 2027-01-28"))
        }
    }

    @Test func `the page is kept until a report or the day is another one, and need not be sent again`()
        async throws
    {
        try await TestServer.with { server in
            var tags: Set<String> = []
            func check(isNew: Bool) async throws {
                let page = try await server.get(Self.page)
                let tag = try #require(page.headers[.eTag])
                #expect(page.headers[.cacheControl] == "no-cache" && page.headers[.contentSecurityPolicy] != nil)
                #expect(tags.insert(tag).inserted == isNew)
                for known in [tag, "W/\(tag)", "\"a\", \(tag)"] {
                    let again = try await server.get(Self.page, headers: [.ifNoneMatch: known])
                    #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
                }
                for old in tags.subtracting([tag]) {
                    let answer = try await server.get(Self.page, headers: [.ifNoneMatch: old])
                    #expect(answer.status == 200 && answer.text == page.text)
                }
            }
            try await check(isNew: true)
            try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts()), to: server)
            try await check(isNew: true)
            server.time.withLock { $0 += 3_600_000 }
            try await check(isNew: false)
            try await Self.put(Self.drift, try TeamRuns.json(TeamRuns.drift()), to: server)
            try await check(isNew: true)
            server.time.withLock { $0 += 14 * 86_400_000 }
            try await check(isNew: true)
        }
    }

    @Test func `a page is rendered once for all who wait for it, and no two at the same time`() async throws {
        let pages = RenderedPages()
        let (open, rendered) = (Shared(0), Shared<[String]>([]))
        for day: CalendarDay in ["2027-01-15", "2027-01-16"] {
            let (gate, asked) = (DispatchSemaphore(value: 0), Shared(0))
            async let busy: Void = pages.run { gate.wait() }
            let found = await withTaskGroup(of: RenderedPages.Page.self) { group in
                for number in 0..<40 {
                    let name = number.isMultiple(of: 2) ? "orders" : "messages"
                    group.addTask {
                        asked.change { $0 += 1 }
                        return await pages.page(.init(capability: name, day: day, publications: [])) {
                            let now = open.change { open in
                                open += 1
                                return open
                            }
                            #expect(now == 1)
                            rendered.change { $0.append(name) }
                            open.change { $0 -= 1 }
                            return "\(name) on \(day)"
                        }
                    }
                }
                while asked.current < 40 { await Task.yield() }
                gate.signal()
                return await group.reduce(into: Set<String>()) {
                    $0.insert(String(decoding: $1.html, as: UTF8.self))
                }
            }
            await busy
            #expect(found == ["orders on \(day)", "messages on \(day)"])
        }
        #expect(rendered.current.sorted() == ["messages", "messages", "orders", "orders"])
    }

    @Test func `an open page is notified`() async throws {
        try await TestServer.with { server in
            let stream = try await server.live()
            for try await line in stream.body.lines() {
                let line = String(decoding: line, as: UTF8.self)
                if line.contains(#""what":"stage""#) {
                    try await Self.put(Self.contracts, try TeamRuns.json(TeamRuns.contracts()), to: server)
                }
                if line.contains(#""what":"evidence""#) { await server.stop() }
            }
        }
    }

    // MARK: Attacks

    @Test func `a device publishes nothing and reads nothing, and a reader reads`() async throws {
        try await TestServer.with { server in
            let body = try TeamRuns.json(TeamRuns.contracts())
            for path in [Self.contracts, Self.drift] {
                for role in [ServerRole.device, .reader] {
                    let answer = try await Self.put(path, body, to: server, as: role)
                    #expect(answer.status == 403)
                    #expect(answer.message == "a token with the role \(role) may not do that")
                }
                #expect(try await Self.put(path, body, to: server, as: nil).status == 401)
            }
            for path in [Self.contracts, Self.drift, Self.page, "/v1/capabilities/orders/publications"] {
                #expect(try await server.get(path, as: .device).status == 403, "\(path)")
                #expect(try await server.get(path, as: nil).status == 401, "\(path)")
            }
            // A password is not accepted as a token here, so that another site's page cannot publish with it.
            let password = Data("any:secret-of-operator".utf8).base64EncodedString()
            let headers: HTTPFields = [.authorization: "Basic \(password)"]
            #expect(try await server.send(.put, Self.contracts, as: nil, body, headers: headers).status == 401)
            #expect(try await server.post(Self.contracts, body).status == 405)
            let refusals = try await server.plane.parts.refusals.last(99)
            #expect(refusals.count { $0.request == "PUT \(Self.contracts)" && $0.status == 403 } == 2)
            #expect(try await Self.publications(of: server).isEmpty)
            #expect(try await Self.put(Self.contracts, body, to: server, as: .admin).status == 200)
        }
    }

    @Test func `a body that is too large, or is not a report, is refused and audited`() async throws {
        try await TestServer.with({ $0.maxReport = 20_000 }) { server in
            let large = #"{"rows": ["# + String(repeating: " ", count: 30_000) + "]}"
            #expect(try await Self.put(Self.contracts, large, to: server).status == 413)
            #expect(try await Self.put(Self.drift, large, to: server).status == 413)
            let deep = String(repeating: "[", count: 10_000)
            for body in ["", "{}", "[]", "null", "\u{0}", deep, #"{"digest": 1, "rows": []}"#] {
                for path in [Self.contracts, Self.drift] {
                    #expect(try await Self.put(path, body, to: server).status == 400, "\(body.prefix(20))")
                }
            }
            let type: HTTPFields = [.contentType: "text/plain"]
            #expect(try await server.send(.put, Self.drift, as: .operator, "{}", headers: type).status == 415)
            var many = TeamRuns.contracts()
            many.adapters = (1...17).map { AdapterDescription(name: "\($0)") }
            let answer = try await Self.put(Self.contracts, try TeamRuns.json(many), to: server)
            #expect(answer.status == 400 && answer.message == "adapters: at most 16")
            let overflow =
                #"{"legacy": "a", "candidate": "b", "drifts": [], "calls": [{"name": "a", "compared": 9223372036854775807}, {"name": "b", "compared": 9223372036854775807}]}"#
            #expect(try await Self.put(Self.drift, overflow, to: server).code == "invalidReport")
            #expect(try await Self.publications(of: server).isEmpty)
            let refusals = try await server.plane.parts.refusals.last(99)
            #expect(refusals.count { $0.by == "operator" && [400, 413, 415].contains($0.status) } == 19)
            #expect(try await server.get("/readyz", as: nil).status == 200)
        }
    }

    @Test func `a page that would be too large is refused`() async throws {
        try await TestServer.with { server in
            var report = TeamRuns.contracts()
            // Each is shown by its code, which is longer.
            let detail = String(repeating: "\u{200B}", count: 400)
            report.rows = (0..<3_000).map { number in
                .init(
                    rule: "GET-01",
                    operation: "\(number)",
                    level: .must,
                    adapter: "v1",
                    outcome: .failed,
                    seconds: 0,
                    detail: "\(number)\(detail)"
                )
            }
            let answer = try await Self.put(Self.contracts, try TeamRuns.json(report), to: server)
            #expect(answer.status == 400)
            #expect(answer.message == "its page would have more than 16777216 bytes")
        }
    }

    @Test func `a script in every text of a report is shown as text`() async throws {
        try await TestServer.with { server in
            for report in [
                try Self.poisoned(TeamRuns.json(TeamRuns.contracts(failing: true)), Self.contracts),
                try Self.poisoned(TeamRuns.json(TeamRuns.drift()), Self.drift),
            ] {
                #expect(report.texts > 10)
                let answer = try await Self.put(report.path, report.body, to: server)
                #expect(answer.status == 200, "\(answer.text)")
                for path in ["/", "/capabilities/orders", Self.page] {
                    let page = try await server.get(path).text
                    #expect(page.components(separatedBy: "<script").count == 2, "the server's own, and no other")
                    #expect(!page.contains("\u{1B}") && !page.contains("onclick=\"x"))
                }
                #expect(!server.log.text.contains("script"))
            }
            #expect(try await server.get(Self.page).text.contains("&lt;script&gt;alert(1)"))
        }
    }

    /// Appends a script to every free text.
    private static func poisoned(_ json: String, _ path: String) throws -> (path: String, body: String, texts: Int) {
        var count = 0
        let fixed = ["outcome", "level", "kind", "date", "expires", "tier"]
        func poison(_ value: Any) -> Any {
            switch value {
            case let object as [String: Any]:
                Dictionary(
                    uniqueKeysWithValues: object.map {
                        ($0.key, fixed.contains($0.key) ? $0.value : poison($0.value))
                    }
                )
            case let list as [Any]: list.map(poison)
            case let text as String:
                {
                    count += 1
                    return text + "\"' onclick=\"x\"><script>alert(1)</script>\u{1B}[31m"
                }()
            default: value
            }
        }
        let poisoned = poison(try JSONSerialization.jsonObject(with: Data(json.utf8)))
        let body = String(decoding: try JSONSerialization.data(withJSONObject: poisoned), as: UTF8.self)
        return (path, body, count)
    }

    // MARK: The client

    @Test func `the fleet's client publishes, and reports what the server refuses`() async throws {
        try await TestServer.with { server in
            func client(_ role: ServerRole) throws -> UpgradeServer {
                let token = TestServer.tokens[role] ?? ""
                return UpgradeServer(try server.plane.url, token: token, transport: .curl(server.client))
            }
            let json = Array(try TeamRuns.json(TeamRuns.contracts()).utf8)
            try await client(.operator).publish(TeamReport(.contracts, of: "orders", json: json))
            #expect(try await server.get(Self.contracts).json(ContractReport.self) == TeamRuns.contracts())
            var environment = ["COFFERDAM_SERVER_TOKEN": TestServer.tokens[.operator] ?? ""]
            let missing = #expect(throws: UpgradeStoreError.self) { try ServerAccess(environment: environment) }
            #expect(missing?.subject == "COFFERDAM_SERVER")
            environment["COFFERDAM_SERVER"] = try server.plane.url
            let drift = Array(try TeamRuns.json(TeamRuns.drift()).utf8)
            try await ServerAccess(environment: environment).server()
                .publish(TeamReport(.drift, of: "orders", json: drift))
            #expect(try await server.get(Self.drift).json(DriftReport.self) == TeamRuns.drift())
            let error = await #expect(throws: UpgradeStoreError.self) {
                try await client(.device).publish(TeamReport(.contracts, of: "orders", json: json))
            }
            #expect(error?.message == "the server refuses with 403: a token with the role device may not do that")
        }
    }
}
#endif
