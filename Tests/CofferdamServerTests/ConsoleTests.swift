#if Server
import CofferdamPages
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
@testable import CofferdamServer

@Suite("The console: pages and forms without a script") struct ConsoleTests {
    private static let formType = "application/x-www-form-urlencoded"

    /// The hidden fields of a form on the page of "orders".
    private static func hidden(_ move: String, in page: String) throws -> (form: String, id: String, seen: String) {
        let form = try #require(page.components(separatedBy: "<form id=\"form-\(move)\"").dropFirst().first)
        func value(_ name: String) throws -> String {
            let pattern = try Regex("name=\"\(name)\" value=\"([^\"]*)\"")
            let match = try #require(form.firstMatch(of: pattern))
            return String(try #require(match.output[1].substring))
        }
        let seen = "seenStage=\(try value("seenStage"))&seenRevision=\(try value("seenRevision"))"
        return (try value("token"), try value("request"), seen)
    }

    /// Sends a form of the page that the role sees.
    @discardableResult
    static func submit(
        _ move: String,
        _ fields: String,
        to server: TestServer,
        as role: ServerRole = .operator,
        form: String? = nil,
        id: String? = nil,
        on page: String? = nil,
        site: String? = "same-origin",
        origin: String? = nil
    ) async throws -> TestServer.Answer {
        var page = page ?? ""
        if page.isEmpty { page = try await server.get("/capabilities/orders", as: .operator).text }
        let given = try hidden(move == "promote" ? "advance" : move == "abort" ? "rollback" : move, in: page)
        var headers: HTTPFields = [.contentType: formType]
        if let site { headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site }
        if let origin { headers[.origin] = origin }
        let body = "token=\(form ?? given.form)&request=\(id ?? given.id)&\(given.seen)&\(fields)"
        return try await server.send(.post, "/capabilities/orders/\(move)", as: role, body, headers: headers)
    }

    @Test func `a form makes the same change as the API, and shows its entry`() async throws {
        try await TestServer.with { server in
            let answer = try await Self.submit("kill", "target=legacy&reason=orders+fail+%26+more", to: server)
            #expect(answer.status == 303)
            let place = try #require(answer.headers[.location])
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            let entry = try #require(try await store.history(of: "orders", last: 1).first)
            #expect(entry.request.action == .kill(.legacy))
            #expect(entry.request.by == "operator" && entry.request.reason == "orders fail & more")
            #expect(place == "/capabilities/orders?entry=\(entry.id)#notice")
            let page = try await server.get(String(place.prefix { $0 != "#" }), as: .operator).text
            #expect(page.contains("<strong>Done: all users to V1</strong>"))
            #expect(page.contains("orders fail &amp; more"))
            #expect(page.contains("Lift the stop"))
        }
    }

    @Test func `each move has its form`() async throws {
        try await TestServer.with { server in
            for (move, fields) in [
                ("advance", "despiteGate=true"), ("kill", "target=freeze"), ("resume", ""),
                ("override", "operation=place&stage=legacyOnly"), ("override", "operation=place&stage="),
                ("rollback", "to=legacyOnly"), ("advance", "despiteGate=true"), ("abort", ""),
            ] {
                let answer = try await Self.submit(move, "reason=a+test&" + fields, to: server)
                #expect(answer.status == 303, "\(move): \(answer.text)")
            }
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            #expect(try await store.history(of: "orders", last: 99).count == 8)
        }
    }

    @Test func `what the rules refuse is refused in the words of the API, on the page`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let apiAnswer = try await server.order("promote")
            let words = try apiAnswer.json(TestServer.Problem.self).error
            let answer = try await Self.submit("promote", "reason=my+%3Cscript%3E+reason", to: server)
            #expect(answer.status == 409 && apiAnswer.status == 409)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(answer.text.contains("Nothing was changed: \(Markup(text: words.message))"))
            for reason in words.reasons ?? [] { #expect(answer.text.contains("<li>\(Markup(text: reason))</li>")) }
            #expect(answer.text.contains("value=\"my &lt;script&gt; reason\""), "what was typed is offered again")
            for reason in ["", "&reason=x", "&reason=%E2%80%8B++ab."] {
                let empty = try await Self.submit("kill", "target=legacy" + reason, to: server)
                #expect(empty.status == 400)
                #expect(empty.text.contains("a change needs a reason of at least 3 letters, digits or symbols"))
            }
            #expect(try server.plane.parts.hub.stage(of: "orders")?.revision == 1)
        }
    }

    @Test func `a form from another site is refused, and is in the refusals' log`() async throws {
        try await TestServer.with { server in
            let fields = "target=legacy&reason=test"
            let admin = FormGuard().token(of: .init(name: "operator", role: .operator, token: "another-secret"))
            let attacks: [() async throws -> TestServer.Answer] = [
                { try await Self.submit("kill", fields, to: server, form: "") },
                { try await Self.submit("kill", fields, to: server, form: "00") },
                // A form of the holder's earlier token.
                { try await Self.submit("kill", fields, to: server, form: admin) },
                // A form of another token's holder.
                { try await Self.submit("kill", fields, to: server, as: .admin) },
                { try await Self.submit("kill", fields, to: server, site: "cross-site") },
                { try await Self.submit("kill", fields, to: server, site: "same-site") },
                { try await Self.submit("kill", fields, to: server, site: nil) },
                { try await Self.submit("kill", fields, to: server, site: nil, origin: "http://evil.example") },
                { try await Self.submit("kill", fields, to: server, site: nil, origin: "null") },
            ]
            for (number, attack) in attacks.enumerated() {
                let answer = try await attack()
                #expect(answer.status == 403, "\(number)")
                #expect(answer.text.contains("the form is not from a page of this server"))
            }
            let refusals = try await server.plane.parts.refusals.last(99)
            #expect(refusals.filter { $0.code == "foreignForm" }.count == attacks.count)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.revision == 0)
            let own = try await Self.submit("kill", fields, to: server, site: nil, origin: server.plane.url)
            #expect(own.status == 303)
        }
    }

    @Test func `of two who see the same next step, one takes it`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let page = try await server.get("/capabilities/orders", as: .operator).text
            let fields = "despiteGate=true&reason=test"
            #expect(try await Self.submit("advance", fields, to: server, on: page).status == 303)
            let second = try await Self.submit("advance", fields, to: server, id: "other", on: page)
            #expect(second.status == 409)
            #expect(second.text.contains("since you looked, the upgrade has changed"))
            #expect(try server.plane.parts.hub.stage(of: "orders")?.stage == .canary(share: 2000))
        }
    }

    @Test func `a form of an old page shows what has changed and asks again, and a stop asks nothing`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let page = try await server.get("/capabilities/orders", as: .operator).text
            for _ in 0..<6 {
                try await server.order("kill", #""reason": "orders fail", "target": "freeze""#)
                try await server.order("resume")
            }
            try await server.order("advance")
            let fields = "operation=place&stage=legacyOnly&reason=my+reason"
            let asked = try await Self.submit("override", fields, to: server, on: page)
            #expect(asked.status == 409 && asked.text.contains("Press again if it is still right"))
            let news = "<li>orders: next step despite the gate, by operator: V2 in the background → 20 % on V2</li>"
            #expect(asked.text.contains(news) && asked.text.contains("value=\"my reason\""))
            #expect(asked.text.matches(of: #/<li>orders: /#).count == 5, "the last changes")
            #expect(try server.plane.parts.hub.stage(of: "orders")?.overrides == nil)
            #expect(try await Self.submit("override", fields, to: server, on: asked.text).status == 303)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.overrides == ["place": .legacyOnly])
            #expect(try await Self.submit("kill", "target=legacy&reason=it+fails", to: server, on: page).status == 303)
        }
    }

    @Test func `a page says how many devices have the last change`() async throws {
        try await TestServer.with { server in
            let hub = try server.plane.parts.hub
            func page() async throws -> String { try await server.get("/capabilities/orders", as: .operator).text }
            try await server.order("advance")
            #expect(try await page().contains("The last change") == false, "no device is connected")
            var poll = hub.stages(of: "orders")
            let stream = hub.stages(of: "orders", for: .stream)
            #expect(try await page().contains("2 connected devices obey within a second"))
            let stop = try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
            #expect(stop.text.contains(#""delivered":2"#), "\(stop.text)")
            #expect(try await page().contains("data-counting=\"data-counting\">The last change: 1 of 2 connected"))
            #expect(try await server.status().connected == ConnectedDevices(have: 1, all: 2))
            poll = nil
            #expect(try await server.status().connected == ConnectedDevices(have: 1, all: 2), "it may come back")
            poll = hub.stages(of: "orders")
            #expect(try await page().contains("<p class=\"muted\">The last change: 2 of 2 connected devices have it."))
            poll = nil
            server.time.withLock { $0 += 120_000 }
            #expect(try await server.status().connected == ConnectedDevices(have: 1, all: 1), "it has left")
            withExtendedLifetime((poll, stream)) {}
        }
    }

    @Test func `when devices fall silent, the page says not to trust the numbers`() async throws {
        try await TestServer.with { server in
            for minute in 0..<3 {
                for device in 0..<10 { try await server.report([Reports.baseline(device..<device + 1)]) }
                if minute < 2 { server.time.withLock { $0 += 60_000 } }
            }
            #expect(try await server.get("/").text.contains("No news") == false)
            server.time.withLock { $0 += 720_000 }
            let warning = "No news from devices for 12 min (usually 10 a minute): do not trust the numbers."
            for path in ["/", "/capabilities/orders"] { #expect(try await server.get(path).text.contains(warning)) }
            try await server.report([Reports.baseline(0..<1)])
            #expect(try await server.get("/").text.contains("No news") == false)
        }
    }

    @Test func `a page that was opened before a restart still stops the upgrade`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let page = try await server.get("/capabilities/orders", as: .operator).text
            await server.stop()
            try await server.start()
            let answer = try await Self.submit("kill", "target=legacy&reason=it+fails", to: server, on: page)
            #expect(answer.status == 303)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.kill == .legacy)
        }
    }

    @Test func `a double click is one change, and an old page changes nothing silently`() async throws {
        try await TestServer.with { server in
            let page = try await server.get("/capabilities/orders", as: .operator).text
            let id = try Self.hidden("kill", in: page).id
            for _ in 0..<2 {
                let answer = try await Self.submit("kill", "target=freeze&reason=test", to: server, id: id)
                #expect(answer.status == 303)
            }
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            #expect(try await store.history(of: "orders", last: 9).count == 1)
            try await server.order("resume")
            let again = try await Self.submit("kill", "target=freeze&reason=test", to: server, id: id)
            #expect(again.status == 303, "a stop works from any page")
            #expect(try server.plane.parts.hub.stage(of: "orders")?.kill == .freeze)
            let steps = try await server.get("/capabilities/orders", as: .operator).text
            let used = try Self.hidden("resume", in: steps).id
            for _ in 0..<2 {
                #expect(
                    try await Self.submit("resume", "reason=test", to: server, id: used, on: steps).status == 303
                )
            }
            try await server.order("advance")
            let old = try await Self.submit("resume", "reason=test", to: server, id: used, on: steps)
            #expect(old.status == 409)
            #expect(old.text.contains("this form was already sent"))
            for bad in ["", "a%20b", String(repeating: "x", count: 101)] {
                #expect(
                    try await Self.submit("kill", "target=freeze&reason=test", to: server, id: bad).status == 400
                )
            }
        }
    }

    @Test func `a reader sees no form, and a device no page`() async throws {
        try await TestServer.with { server in
            let page = try await server.get("/capabilities/orders", as: .reader).text
            #expect(!page.contains("<form") && !page.contains("secret-of"))
            #expect(
                try await Self.submit("kill", "target=legacy&reason=test", to: server, as: .reader).status == 403
            )
            for path in ["/", "/capabilities/orders", "/live"] {
                #expect(try await server.get(path, as: .device).status == 403)
                #expect(try await server.get(path, as: nil).status == 401)
            }
            let unknown = try await server.get("/capabilities/other", as: .reader)
            #expect(
                unknown.status == 404
                    && unknown.text.contains("here is no upgrade &quot;other&quot;; there are: orders")
            )
        }
    }

    @Test func `a body that is not a form, or is too large, is refused`() async throws {
        try await TestServer.with { server async throws in
            let path = "/capabilities/orders/kill"
            #expect(try await server.post(path, "{}").status == 415)
            let type: HTTPFields = [.contentType: Self.formType]
            let large = "reason=" + String(repeating: "x", count: 256 << 10)
            #expect(try await server.send(.post, path, as: .operator, large, headers: type).status == 413)
            #expect(try await server.send(.post, path, as: .operator, "a=%ff", headers: type).status == 400)
            #expect(try await Self.submit("kill", "target=all&reason=test", to: server).status == 400)
            let long = String(repeating: "x", count: 1_001)
            #expect(try await Self.submit("kill", "target=legacy&reason=\(long)", to: server).status == 400)
        }
    }

    @Test func `a new upgrade's page says how a device is connected, until one has reported`() async throws {
        try await TestServer.with { server in
            let path = "/capabilities/orders"
            #expect(try await server.get(path).text.contains("Connect the first device"))
            for post in Reports.inPosts(10, Reports.baseline) { try await server.report(post) }
            #expect(try await server.get(path).text.contains("Connect the first device") == false)
        }
    }

    @Test func `before the first unit the page says so, in words`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            for path in ["/", "/capabilities/orders"] {
                let page = try await server.get(path).text
                #expect(page.contains("Nothing was counted yet. Next: 20 % on V2, after"))
                #expect(!page.contains("is missing"))
            }
            #expect(
                try await server.get("/capabilities/orders").text.contains("No user has been counted at this stage yet")
            )
        }
    }

    /// The texts of the buttons that stand out as the ones to press.
    private static func bright(_ page: String) -> [String] {
        page.matches(of: #/<button(?![^>]*class=)[^>]*>([^<]*)</button>/#).map { String($0.output.1) }
    }

    @Test func `the button that stands out never brings the trouble back`() async throws {
        try await TestServer.with { server in
            func bright() async throws -> [String] {
                Self.bright(try await server.get("/capabilities/orders", as: .operator).text)
            }
            let first = "Go to: V2 in the background"
            #expect(try await bright() == [first], "a new upgrade has nothing else to do")
            try await server.order("advance")
            #expect(try await bright() == [], "too little is known")
            try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
            #expect(try await bright() == [], "it is stopped")
            try await server.order("resume")
            #expect(try await server.get("/capabilities/orders", as: .operator).text.contains(first))
            #expect(try await bright() == [], "V2 was withdrawn")
        }
    }

    @Test func `of builds with one side, no page promises that they obey`() async throws {
        let (arms, promise) = ("Each build has one side, so this moves no user", "obey within a second")
        for (plan, isOfArms) in [(NamedPlan.arms, true), (.small, false)] {
            try await TestServer.with {
                $0.capabilities = [HostedCapability("orders", plan: plan)]
            } _: { server in
                let page = try await server.get("/capabilities/orders", as: .operator).text
                #expect(page.contains(arms) == isOfArms && page.contains(promise) != isOfArms, "\(plan)")
            }
        }
    }

    @Test func `the cost of going back stands beside each button that does it`() async throws {
        let cost = "Users of V2 <only> are signed out."
        try await TestServer.with {
            $0.costOfGoingBack = cost
        } _: { server in
            try await server.order("advance")
            let page = try await server.get("/capabilities/orders", as: .operator).text
            for form in ["kill", "rollback"] {
                let start = try #require(page.firstRange(of: "id=\"form-\(form)\""))
                let end = try #require(page[start.upperBound...].firstRange(of: "</form>"))
                #expect(
                    page[start.upperBound..<end.lowerBound].contains("Users of V2 &lt;only&gt; are signed out.")
                )
            }
        }
    }

    @Test func `a page begins with what happens to users, open windows included`() async throws {
        try await TestServer.with { server in
            for _ in 0..<2 { try await server.order("advance") }
            try await server.report([
                Reports.report(
                    .canary(share: 2000),
                    epoch: 2,
                    0..<3,
                    Reports.windows("candidate", ["failed"], settled: false)
                )
            ])
            for path in ["/", "/capabilities/orders"] {
                #expect(
                    try await server.get(path).text.contains("3 of 3 had a failure on V2 (100 %)")
                )
            }
        }
    }

    @Test func `evidence is shown beside its threshold, and a decision is recomputed`() async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            server.time.withLock { $0 += 90_000 }
            try await server.report([
                Reports.report(.shadow(sample: .all), epoch: 1, 0..<500, Reports.windows("comparisons", ["match"]))
            ])
            let odd = Reports.windows("comparisons", ["expected", "expectation=D5"])
            try await server.report([Reports.report(.shadow(sample: .all), epoch: 1, 500..<503, odd)])
            let page = try await server.get("/capabilities/orders").text
            #expect(page.contains("units with this expected difference"))
            #expect(try await server.reading().metrics[.expected("D5")] == FailureCounts(3, of: 503))
            #expect(page.contains("Enough to decide?") && page.contains(" more users, "))
            #expect(page.contains("<th scope=\"row\"><bdi>place</bdi></th>") && page.contains("<svg class=\"bar\""))
            #expect(page.contains("units for which the sides disagree"))
            for post in Reports.inPosts(
                3_000,
                { units in
                    Reports.report(
                        .shadow(sample: .all),
                        epoch: 1,
                        units,
                        Reports.windows("comparisons", ["match"])
                    )
                }
            ) { try await server.report(post) }
            let promoted = try await server.order("promote")
            #expect(promoted.status == 200, "\(promoted.text)")
            let after = try await server.get("/capabilities/orders").text
            #expect(after.contains("✓ Recomputed: the record follows from its own numbers."))
            #expect(after.contains("No user has been counted at this stage yet"))
        }
    }
}
#endif
