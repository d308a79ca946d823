#if Server
import Cofferdam
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
@testable import CofferdamServer

@Suite("What devices and people write cannot harm a page or a log") struct InjectionTests {
    private static let script = "<script>alert(1)</script>"

    @Test func `a script in every text that a device sends is shown as text, or refused`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let window = EvidenceReport.Window(
                tally: "candidate",
                operation: Self.script,
                marks: ["failed"],
                isSettled: true,
                isRead: true
            )
            var report = Reports.report(.shadow(sample: .all), epoch: 1, 0..<3, [window])
            report.build = Self.script
            report.units[0].windows[0].tally = "comparisons"
            report.units[0].windows[0].marks = ["mismatch"]
            #expect(try await server.report([report]).status == 200)
            for path in ["/", "/capabilities/orders"] {
                let page = try await server.get(path).text
                #expect(page.components(separatedBy: "<script").count == 2, "the server's own, and no other")
            }
            #expect(try await server.get("/capabilities/orders").text.contains("&lt;script&gt;alert(1)"))
            #expect(try await server.get("/v1/capabilities/orders").headers[.contentType] == "application/json")
            #expect(try await server.get("/metrics").text.contains("<script") == false)

            for change: (inout EvidenceReport) -> Void in [
                { $0.side = Self.script }, { $0.units[0].unit = Self.script },
                { $0.units[0].windows[0].tally = Self.script },
            ] {
                var attack = report
                change(&attack)
                let answer = try await server.report([attack])
                #expect(answer.status == 400)
                #expect(!answer.text.contains("script"), "an error repeats nothing of it")
            }
            // A mark is never a reason to lose a unit.
            var marked = report
            marked.units[0].windows[0].marks = [Self.script]
            marked.units[1].windows[0].marks = ["mismatch", "expectation=" + Self.script]
            marked.units[2].windows[0].marks = ["answer=" + Self.script]
            #expect(try await server.report([marked]).status == 200)
            for path in ["/", "/capabilities/orders"] {
                #expect(try await server.get(path).text.components(separatedBy: "<script").count == 2)
            }
        }
    }

    @Test func `a script in every text of a sample is shown as text`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            var report = Reports.report(.shadow(sample: .all), epoch: 1, 0..<0, [])
            report.samples = [
                .init(operation: Self.script, path: Self.script, legacy: Self.script, candidate: Self.script),
                .init(operation: "a", path: "\"><img src=x onerror=alert(1)>", legacy: "</td>", candidate: nil),
            ]
            #expect(try await server.report([report]).status == 200)
            for path in ["/", "/capabilities/orders"] {
                let page = try await server.get(path).text
                #expect(page.components(separatedBy: "<script").count == 2, "the server's own, and no other")
                #expect(!page.contains("<img"))
            }
            let page = try await server.get("/capabilities/orders").text
            #expect(page.components(separatedBy: "&lt;script&gt;alert").count == 5)
            #expect(page.contains("&lt;/td&gt;"))
        }
    }

    @Test func `a script in the name of a breaker's operation is shown as text`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let report = Reports.breakers(
                .shadow(sample: .all),
                epoch: 1,
                device: 1,
                [Reports.breaker(1, open: true, Self.script)]
            )
            var timed = Reports.latencies(report.stage, epoch: 1, device: 1, of: Self.script, [(1, 1_000)])
            timed.units = Reports.report(report.stage, epoch: 1, 0..<1, []).units
            timed.units[0].windows = [
                .init(tally: "comparisons", operation: Self.script, marks: ["match"], isSettled: true)
            ]
            #expect(try await server.report([report, timed]).status == 200)
            let page = try await server.get("/capabilities/orders").text
            #expect(page.components(separatedBy: "<script").count == 2, "the server's own, and no other")
            #expect(page.contains("&lt;script&gt;alert") && page.contains("Candidate p50, p95"))
            var attack = report
            attack.device = Self.script
            let answer = try await server.report([attack])
            #expect(answer.status == 400 && !answer.text.contains("script"))
            let side =
                #"{"stage":"shadow(10000)","epoch":1,"window":600,"build":"","units":[],"#
                + #""device":"0000000000000001","breakers":[{"operation":"a","side":"<script>","number":1,"open":true,"at":1}]}"#
            let refused = try await server.post(
                "/v1/capabilities/orders/evidence",
                as: .device,
                #"{"reports":[\#(side)]}"#
            )
            #expect(refused.status == 400 && !refused.text.contains("<script>"))
        }
    }

    @Test(arguments: ["\u{1B}[2J", "a\nb", "\r", "\u{0}", "\u{202E}abc", "\u{9B}1m", ""])
    func `a control character in a name is refused`(_ name: String) async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let window = EvidenceReport.Window(tally: "legacy", operation: name, marks: [], isSettled: true)
            let report = Reports.report(.shadow(sample: .all), epoch: 1, 0..<1, [window])
            #expect(try await server.report([report]).status == 400)
            #expect(try await server.reading().metrics.isEmpty)
        }
    }

    @Test func `numbers out of range are refused`() async throws {
        try await TestServer.with { server async throws in
            let good = Reports.baseline(0..<1)
            for change: (inout EvidenceReport) -> Void in [
                { $0.epoch = -1 }, { $0.epoch = .max }, { $0.window = 1 },
                { $0.units[0].windows[0].nanoseconds = -1 }, { $0.units[0].windows[0].nanoseconds = .max },
                { $0.units[0].unit = "+00000000000000f" }, { $0.units[0].unit = "0" },
                { $0.units = Array(repeating: $0.units[0], count: 1_001) },
                { $0.units[0].windows = Array(repeating: $0.units[0].windows[0], count: 389) },
                { $0.units[0].windows[0].marks = Array(repeating: "failed", count: 13) },
            ] {
                var attack = good
                change(&attack)
                #expect(try await server.report([attack]).status == 400)
            }
            #expect(try await server.report([]).status == 400)
            #expect(try await server.report([good]).status == 200)
        }
    }

    @Test func `a script in a person's reason is shown as text`() async throws {
        try await TestServer.with { server in
            let reason = #""reason": "<script>\u001b[31m\u202e", "target": "freeze""#
            #expect(try await server.order("kill", reason).status == 200)
            let page = try await server.get("/")
            #expect(page.text.contains("&lt;script&gt;"))
            #expect(page.text.components(separatedBy: "<script").count == 2)
            #expect(!page.text.contains("\u{1B}"))
            #expect(!server.log.text.contains("\u{1B}"))
            let json = try await server.get("/v1/capabilities/orders")
            #expect(!json.text.contains("\u{1B}"))
        }
    }

    @Test func `what people and devices write cannot reorder what stands beside it`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            var report = Reports.report(.shadow(sample: .all), epoch: 1, 0..<0, [])
            let text = "abc\u{202E}def\u{2066}\u{200B}\u{85}\u{2028}\u{E0041}"
            let shown =
                "<bdi>abc<mark>U+202E</mark>def<mark>U+2066</mark><mark>U+200B</mark><mark>U+0085</mark>"
                + "<mark>U+2028</mark><mark>U+E0041</mark></bdi>"
            report.samples = [.init(operation: "find", path: "name", legacy: text, candidate: "\u{5D0} 1")]
            #expect(try await server.report([report]).status == 200)
            let body = try String(
                decoding: JSONEncoder().encode(["reason": text, "target": "freeze"]),
                as: UTF8.self
            )
            let kill = "/v1/capabilities/orders/kill"
            #expect(try await server.post(kill, body).status == 200)
            let page = try await server.get("/capabilities/orders", as: .operator).text
            let overview = try await server.get("/").text
            #expect(page.contains(shown))
            #expect(page.contains("<bdi>\u{5D0} 1</bdi>"))
            #expect(page.contains("<p>Reason: \(shown)</p>"), "the first section")
            #expect(overview.contains("<p>\(shown)</p>"), "the audit log")
            for page in [page, overview] {
                let hidden = page.unicodeScalars.filter { $0.properties.generalCategory == .format }
                #expect(hidden.isEmpty)
            }
            // Emoji and scripts that need joiners stay as they are.
            let family = String(repeating: "\u{1F469}\u{200D}\u{1F467}", count: 3)
            #expect(try await server.order("resume", "\"reason\": \"\(family)\"").status == 200)
            #expect(try await server.get("/").text.contains("<bdi>\(family)</bdi>"))
        }
    }

    @Test func `the page loads from its own server only, and may not be framed`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let page = try await server.get("/")
            #expect(page.status == 200)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(
                page.headers[.contentSecurityPolicy]
                    == "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
            )
            #expect(page.headers[.xContentTypeOptions] == "nosniff")
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.text.contains("V2 in the background"))
            #expect(page.text.contains(#"<meta name="color-scheme" content="light dark"/>"#))
            #expect(!page.text.contains("http:") && !page.text.contains("https:"))
            #expect(try await server.get("/style.css", as: nil).headers[.contentType] == "text/css; charset=utf-8")
            let script = try await server.get("/console.js", as: nil)
            #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
            // A browser sends the token as a password.
            let password = Data("any:secret-of-reader".utf8).base64EncodedString()
            #expect(
                try await server.get("/", as: nil, headers: [.authorization: "Basic \(password)"]).status == 200
            )
            let refused = try await server.get("/", as: nil)
            #expect(refused.headers[.wwwAuthenticate] == #"Basic realm="cofferdam""#)
            let other = try await server.get(
                "/v1/capabilities",
                as: nil,
                headers: [.authorization: "Basic \(password)"]
            )
            #expect(other.status == 401, "only the page takes a password, which a browser would send by itself")
        }
    }

    @Test func `control characters in an address or a header do not reach a log`() async throws {
        try await TestServer.with { server in
            let path = "/v1/capabilities/%1B%5B31m%0Aforged%20line/kill"
            #expect(try await server.post(path, "{}").status == 404)
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            let answer = try await server.send(
                .post,
                "/v1/capabilities/orders/advance",
                as: .operator,
                #"{"reason": "test"}"#,
                headers: [key: "a b<c>"]
            )
            #expect(answer.status == 400)
            let refusals = try await server.plane.parts.refusals.last(10)
            #expect(refusals.count == 2)
            #expect(refusals.allSatisfy { !$0.request.contains("\u{1B}") && !$0.request.contains("\n") })
            #expect(!server.log.text.contains("\u{1B}"))
            #expect(!server.log.text.contains("forged line"))
        }
    }
}
#endif
