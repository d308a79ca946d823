#if Server && canImport(Subprocess)
import Cofferdam
import CofferdamContracts
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite(
    "The console in a browser",
    .serialized,
    .enabled(if: Browser.path != nil, "no chromium in the PATH: ./dev setup browser"),
    .timeLimit(.minutes(5))
)
struct ConsoleInBrowserTests {
    /// The address with the token as the password, which a person enters once.
    private static func address(_ path: String, of server: TestServer, as role: ServerRole = .operator) throws
        -> String
    {
        let token = TestServer.tokens[role] ?? ""
        return "http://any:\(token)@127.0.0.1:\(try server.plane.port)\(path)"
    }

    /// A server in the middle of an upgrade.
    private static func withUpgrade(_ body: @escaping (TestServer, BrowserPage) async throws -> Void) async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance", #""reason": "the baseline is there""#)
            server.time.withLock { $0 += 3_600_000 }
            let stage = Stage.shadow(sample: .all)
            for post in Reports.inPosts(
                400,
                { Reports.report(stage, epoch: 1, $0, Reports.windows("comparisons", ["match"])) }
            ) {
                try await server.report(post)
            }
            let odd = Reports.windows("comparisons", ["expected", "expectation=D5"])
            try await server.report([Reports.report(stage, epoch: 1, 400..<405, odd)])
            var device = Reports.breakers(stage, epoch: 1, device: 1, [Reports.breaker(1, open: true)])
            device.latencies = [
                .init(operation: "place", side: .candidate, buckets: [[LatencyHistogram.rounded(12_345_678), 7]])
            ]
            let long = String(repeating: "long", count: 40)
            device.samples = [.init(operation: "place", path: "lines[1].price", legacy: long, candidate: nil)]
            try await server.report([device])
            try await BrowserPage.with { page in try await body(server, page) }
        }
    }

    @Test(.needsAxe) func `pages fit every width and scheme, and are accessible`() async throws {
        try await Self.withUpgrade { server, page in
            let reports = [
                "contracts": try TeamRuns.json(TeamRuns.contracts(failing: true)),
                "drift": try TeamRuns.json(TeamRuns.drift()),
            ]
            for (kind, json) in reports {
                #expect(
                    try await server.send(.put, "/v1/capabilities/orders/\(kind)", as: .operator, json).status
                        == 200
                )
            }
            let parts = try server.plane.parts
            try await parts.history.record(try #require(parts.upgrades["orders"]))
            server.time.withLock { $0 += 3_600_000 }
            for path in ["/", "/capabilities/orders", "/capabilities/orders/contracts", "/capabilities/none"] {
                for width in [390, 1280] {
                    for isDark in [false, true] {
                        let address = try Self.address(path, of: server)
                        try await page.visit(address, width: width, isDark: isDark)
                        let problems = try await PageAudit.problems(of: page)
                        #expect(problems.isEmpty, "\(path) at \(width), \(isDark ? "dark" : "light")")
                    }
                }
            }
            // The browser tells about the page that is missing.
            #expect(page.complaints.allSatisfy { $0.contains("404") })
        }
    }

    @Test(.needsAxe) func `an empty page, a reader's, one after a stop and one that lost its server are accessible`()
        async throws
    {
        try await TestServer.with { server in
            try await BrowserPage.with { page in
                let address = try Self.address("/capabilities/orders", of: server)
                func examine(_ state: String) async throws {
                    let problems = try await PageAudit.problems(of: page)
                    #expect(problems.isEmpty, "\(state)")
                }
                for isDark in [false, true] {
                    try await page.visit(try Self.address("/capabilities/orders/contracts", of: server), isDark: isDark)
                    try await examine("no contracts")
                    try await page.visit(address, isDark: isDark)
                    try await examine("empty")
                }
                let reader = try Self.address("/capabilities/orders", of: server, as: .reader)
                try await page.visit(reader)
                try await examine("a reader's")
                try await page.visit(address, isDark: true)
                try await page.tab(until: "document.activeElement.id === 'kill-reason'")
                try await page.type("orders fail")
                try await page.loading { try await page.press("Enter") }
                try await examine("after a stop")
                try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
                await server.stop()
                try await page.wait(until: "document.getElementById('live').dataset.state === 'lost'")
                try await examine("without its server")
            }
        }
    }

    @Test(.needsAxe) func `the page of a real contract is short, and cuts nothing`() async throws {
        try await Self.withUpgrade { server, page in
            var drift = DriftReport(legacy: "v1", candidate: "v2")
            for number in 0..<48 {
                let known = KnownDrift(
                    id: "D\(number % 12)",
                    call: "orders",
                    path: "field\(number % 12)",
                    reason: "a reason"
                )
                let difference = Difference(subject: "o", path: "field\(number % 12)", legacy: "a", candidate: "b")
                drift.add(call: "orders", compared: 1, [difference], knowing: [known])
            }
            for (kind, json) in ["contracts": try TeamRuns.json(TeamRuns.large()), "drift": try TeamRuns.json(drift)] {
                let answer = try await server.send(.put, "/v1/capabilities/orders/\(kind)", as: .operator, json)
                #expect(answer.status == 200, "\(answer.text)")
            }
            for (width, most) in [(390, 4_000), (1280, 6_000)] {
                for choice in ["", "?show=problems", "?rule=GET-01#rule"] {
                    let address = try Self.address("/capabilities/orders/contracts\(choice)", of: server)
                    try await page.visit(address, width: width)
                    // What the address points to is not behind the head that stays.
                    let (heading, head) = ("document.getElementById('rule')", "document.querySelector('.head')")
                    let isSeen =
                        "!\(heading) || \(heading).getBoundingClientRect().top >= \(head).getBoundingClientRect().bottom"
                    #expect(try await page.evaluate("String(\(isSeen))") == "true", "\(choice) at \(width)")
                    let height = try await page.evaluate("String(document.documentElement.scrollHeight)")
                    #expect(Int(height) ?? .max < most, "\(choice) at \(width): \(height)")
                    let problems = try await PageAudit.problems(of: page)
                    #expect(problems.isEmpty, "\(choice) at \(width)")
                    let cut =
                        "String([...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth).length)"
                    if width == 1280 { #expect(try await page.evaluate(cut) == "0") }
                }
            }
        }
    }

    @Test(.needsAxe) func `the audit finds what is wrong`() async throws {
        try await BrowserPage.with { page in
            try await page.visit(
                "data:text/html,<h1>a</h1><h3>b</h3><input><button></button><p style='color:gray'>pale</p><svg></svg>"
                    + "<div style='width:2000px'>d</div><div role=group></div>"
            )
            let problems = try await PageAudit.problems(of: page).joined(separator: "\n")
            for word in [
                "scrolls", "html-has-lang", "heading-order", "label: <input", "button-name", "color-contrast",
                "no text", "without a name",
            ] {
                #expect(problems.contains(word), "\(word)")
            }
        }
    }

    @Test func `a change by the API is seen at once, and typed text and the focus stay`() async throws {
        try await Self.withUpgrade { server, page in
            try await page.visit(try Self.address("/capabilities/orders", of: server))
            try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
            try await page.tab(until: "document.activeElement.id === 'kill-reason'")
            try await page.type("half a rea")
            let shown = "document.querySelector('[aria-labelledby=stage]').textContent"
            #expect(try await page.evaluate(shown).contains("held") == false)
            try await server.order("kill", #""reason": "seen <b>elsewhere</b>", "target": "freeze""#)
            try await page.wait(until: "\(shown).includes('held')")
            #expect(try await page.evaluate("document.activeElement.id") == "kill-reason")
            #expect(try await page.evaluate("document.activeElement.value") == "half a rea")
            #expect(try await page.evaluate("String(document.querySelectorAll('b, script').length)") == "1")
            try await page.type("son")
            try await page.wait(until: "document.getElementById('form-resume') !== null")
            let evidence = "document.querySelector('[aria-labelledby=by-operation]').textContent"
            let before = try await page.evaluate(evidence)
            let news = Reports.windows("comparisons", ["match"])
            try await server.report([Reports.report(.shadow(sample: .all), epoch: 1, 405..<500, news)])
            let quoted = String(decoding: try JSONEncoder().encode(before), as: UTF8.self)
            try await page.wait(until: "\(evidence) !== \(quoted)")
            #expect(try await page.evaluate("document.activeElement.value") == "half a reason")
            #expect(page.complaints.isEmpty)
        }
    }

    @Test func `a press fills in the reason, and who has the change is counted up`() async throws {
        try await Self.withUpgrade { server, page in
            let hub = try server.plane.parts.hub
            let device = Shared([hub.stages(of: "orders")])
            try await page.visit(try Self.address("/capabilities/orders", of: server))
            try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
            let chip = "document.querySelector('#form-kill [data-reason=drill]')"
            #expect(try await page.evaluate("String(\(chip).getBoundingClientRect().height >= 24)") == "true")
            _ = try await page.evaluate("\(chip).click(), ''")
            #expect(try await page.evaluate("document.getElementById('kill-reason').value") == "drill")
            // An alert is no reason for a step up.
            let reasons = "document.querySelectorAll('#form-advance [data-reason]')"
            let step = try await page.evaluate("Array.from(\(reasons)).map(chip => chip.textContent).join()")
            #expect(step == "enough is known,as planned,drill")
            try await page.loading {
                _ = try await page.evaluate("document.querySelector('#form-kill [value=legacy]').click(), ''")
            }
            try await page.wait(until: "document.body.textContent.includes('0 of 1 connected device has it')")
            device.change { $0 = [hub.stages(of: "orders")] }
            try await page.wait(until: "document.body.textContent.includes('1 of 1 connected device has it')")
            #expect(page.complaints.isEmpty)
        }
    }

    @Test func `the kill switch can be pulled by keyboard alone`() async throws {
        try await Self.withUpgrade { server, page in
            try await page.visit(try Self.address("/", of: server))
            try await page.tab(until: "document.activeElement.textContent === 'orders'")
            try await page.loading { try await page.press("Enter") }
            try await page.tab(until: "document.activeElement.id === 'kill-reason'")
            try await page.type("orders fail")
            try await page.tab(until: "document.activeElement.textContent === 'Send all users to V1 now'", limit: 3)
            try await page.loading { try await page.press("Enter") }
            let notice = try await page.evaluate("document.getElementById('notice').textContent")
            #expect(notice.contains("Done: all users to V1") && notice.contains("orders fail"))
            let stored = try await server.plane.parts.upgrades["orders"]?.store.read("orders")
            #expect(stored?.kill?.target == .legacy && stored?.kill?.by == "operator")
            #expect(page.complaints.isEmpty)
        }
    }

    @Test func `a page survives its server's restart, with the typed text`() async throws {
        try await Self.withUpgrade { server, page in
            try await page.visit(try Self.address("/capabilities/orders", of: server))
            try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
            try await page.tab(until: "document.activeElement.id === 'kill-reason'")
            try await page.type("orders fail")
            await server.stop()
            try await page.wait(until: "document.getElementById('live').dataset.state === 'lost'")
            try await server.start()
            try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
            try await page.loading { try await page.press("Enter") }
            let notice = try await page.evaluate("document.getElementById('notice').textContent")
            #expect(notice.contains("Done: all users to V1") && notice.contains("orders fail"))
        }
    }

    @Test(.needsAxe) func `a refusal says why, and keeps what was typed`() async throws {
        try await Self.withUpgrade { server, page in
            try await page.visit(try Self.address("/capabilities/orders", of: server), width: 390)
            try await page.tab(until: "document.activeElement.id === 'advance-reason'")
            try await page.type("too early")
            try await page.loading { try await page.press("Enter") }
            try await page.wait(until: "document.getElementById('live').textContent === 'Live'")
            #expect(try await page.evaluate("document.getElementById('notice').role") == "alert")
            #expect(try await page.evaluate("document.getElementById('advance-reason').value") == "too early")
            #expect(try await PageAudit.problems(of: page).isEmpty)
        }
    }
}
#endif
