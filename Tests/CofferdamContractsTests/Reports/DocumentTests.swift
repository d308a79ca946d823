import Cofferdam
import CofferdamContracts
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct DocumentTests {
    /// A document with all characters that markup must escape.
    static let document: ContractDocument = {
        var report = Made.report(
            [
                (Made.rule("LIST-01"), .passed, .failed), (Made.rule("GET-01"), .passed, .crashed),
                (Made.rule("shop/A-01", .should), .timedOut, .failed),
                (Made.rule("GET-08", .optional, requires: ["cache"]), .skipped, .skipped),
            ],
            deviations: [
                KnownDeviation(
                    .rule("shop/A-01", on: "v2"),
                    reason: "r",
                    link: Made.link,
                    expires: "2026-12-01"
                )
            ]
        )
        report.rules[0].title = "<b>every</b> & \"all\" | items"
        report.rows[1].detail = "expected <a> & 'b' ]]> | @team `x`\n\u{1B}[31mnext"
        report.certifications = [
            Certification(fake: "fake", live: ["v1"], digest: "c0de", fixtures: "f", date: Made.today)
        ]
        return ContractDocument(
            name: "Shop & <Co>",
            report: report,
            comparison: UpgradeComparison(report, from: "v1", to: "v2"),
            verdict: UpgradeVerdict(report, from: "v1", to: "v2", today: Made.today),
            drift: drift
        )
    }()

    private static let drift: DriftReport = {
        var drift = DriftReport(legacy: "v1", candidate: "v<2>")
        let known = KnownDrift(id: "D1", call: "items", path: "price", reason: "why & how", legacy: ["1"])
        let differences = [
            Difference(subject: "<6>", path: "price", legacy: "1", candidate: "2"),
            Difference(subject: "<7>", path: "price", legacy: "3", candidate: nil),
        ]
        drift.add(call: "items", compared: 9, differences, knowing: [known])
        return drift
    }()

    private static func decoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func `a page that is made from the JSON is the page that was made from the run`() throws {
        var report = Self.document.report
        report.upgrade = UpgradePath(from: "v1", to: "v2")
        func page(_ report: ContractReport, _ drift: DriftReport?) -> String {
            ContractDocument(name: "Shop & <Co>", report: report, drift: drift, today: Made.today).html()
        }
        #expect(page(report, Self.drift) == Self.document.html())
        #expect(page(try Self.decoded(report), try Self.decoded(Self.drift)) == Self.document.html())
        // If a run was ended early, the page says which rules were not run.
        report.rows.removeLast(3)
        report.stop = "ended by SIGINT, and 3 cases were left"
        #expect(try Self.decoded(report) == report)
        #expect(page(try Self.decoded(report), nil) == page(report, nil))
        #expect(page(report, nil).contains("not run"))
    }

    @Test func `the upgrade is the one that the report names, or the one that its adapters imply`() {
        var report = Self.document.report
        func path(_ report: ContractReport) -> [String?] {
            let comparison = ContractDocument(name: "", report: report, today: Made.today).comparison
            return [comparison?.legacy, comparison?.candidate]
        }
        #expect(path(report) == ["v1", "v2"])
        report.upgrade = UpgradePath(from: "v2", to: "v1")
        #expect(path(report) == ["v2", "v1"])
        report.upgrade = UpgradePath(from: "v1", to: "v3")
        #expect(path(report) == [nil, nil], "a side is not in the report")
    }

    @Test func `a rule counts once for each adapter, as the worst of its operations`() {
        var report = Self.document.report
        report.rules[1].operations = ["a", "b"]
        for adapter in ["v1", "v2"] {
            for operation in ["a", "b"] {
                let isBad = adapter == "v2" && operation == "b"
                report.rows.append(
                    .init(
                        rule: "GET-01",
                        operation: operation,
                        level: .must,
                        adapter: adapter,
                        outcome: isBad ? .failed : .passed,
                        seconds: 0
                    )
                )
            }
        }
        report.rows.removeAll { $0.rule == "GET-01" && $0.operation == nil }
        report.rows.removeAll { $0.rule == "LIST-01" && $0.adapter == "v1" }
        let counts = ContractDocument(name: "", report: report).ruleCounts
        #expect(counts.map(\.adapter) == ["v1", "v2"])
        let numbers = counts.map { [$0.passed, $0.failed, $0.known, $0.skipped, $0.notRun] }
        #expect(numbers == [[1, 1, 0, 1, 1], [0, 2, 1, 1, 0]])
    }

    @Test func `the page lists the gravest drift first, under the names of the sides, and says what was compared`() {
        let page = Self.document.html()
        #expect(page.contains("<p>1 error, 0 warn, 1 info in 1 calls, 9 things compared</p>"))
        #expect(page.contains("<th scope=\"col\" class=\"wide\">v&lt;2&gt;</th>"))
        let places = ["items, &lt;7&gt;, price", "items, &lt;6&gt;, price"].map { page.firstRange(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil })
        if let first = places[0], let second = places[1] { #expect(first < second) }
        let nothing = ContractDocument(
            name: "",
            report: ContractReport(),
            drift: DriftReport(legacy: "a", candidate: "b")
        )
        #expect(nothing.html().contains("0 error, 0 warn, 0 info in 0 calls, 0 things compared"))
    }

    @Test func `a report from elsewhere has bounds`() {
        let good = Self.document.report
        #expect(good.excess == nil)
        let long = String(repeating: "x", count: 1_001)
        let attacks: [(inout ContractReport) -> Void] = [
            { $0.rows = Array(repeating: $0.rows[0], count: 10_001) },
            { $0.rules = Array(repeating: $0.rules[0], count: 1_001) },
            { $0.rules[0].operations = (1...10_001).map { "\($0)" } },
            { $0.rules[0].requires = (1...1_001).map { CapabilityTag(rawValue: "\($0)") } },
            { $0.adapters = (1...17).map { Made.adapter("\($0)") } },
            { report in (1...17).forEach { report.declared.insert(.init(rule: "A-01", adapter: "\($0)")) } },
            { report in
                (1...1_001).forEach { report.declared.insert(.init(rule: RuleID(rawValue: "A-\($0)"), adapter: "v1")) }
            },
            { $0.deviations = Array(repeating: $0.deviations[0], count: 501) },
            {
                $0.deviations[0] = KnownDeviation(
                    .uncheckedCapability("a"),
                    reason: long,
                    link: "",
                    expires: Made.today
                )
            },
            { $0.adapters[0].name = "" }, { $0.rules[0].operations = [long] },
        ]
        for (number, attack) in attacks.enumerated() {
            var report = good
            attack(&report)
            #expect(report.excess != nil, "\(number)")
        }
        #expect(Self.drift.excess == nil)
        for compared in [-1, .max] {
            var drift = Self.drift
            drift.add(call: "items", compared: compared, [])
            #expect(drift.excess != nil)
        }
        #expect(DriftReport(legacy: "", candidate: "b").excess != nil)
        #expect(DriftReport(legacy: "a", candidate: long).excess != nil)
        var many = Self.drift
        many.add(
            call: "a",
            compared: 1,
            Array(repeating: Difference(subject: "", path: "", legacy: "", candidate: ""), count: 5_001)
        )
        #expect(many.excess != nil)
        var calls = Self.drift
        for _ in 0...1_000 { calls.add(call: "a", compared: 1, []) }
        #expect(calls.excess != nil)
    }

    @Test func `JUnit XML has a case for each rule and adapter, and is well-formed`() throws {
        let elements = try XMLElements(Self.document.junit())
        let cases = elements.named("testcase")
        #expect(cases.count == 8)
        #expect(Set(cases.map { [$0["name"], $0["classname"]] }).count == 8)
        #expect(cases.first?["name"] == "LIST-01: <b>every</b> & \"all\" | items")
        #expect(
            elements.named("failure").map { $0["message"] } == ["expected <a> & 'b' ]]> | @team `x`\n\u{FFFD}[31mnext"]
        )
        #expect(elements.named("error").map { $0["type"] } == ["timedOut", "crashed"])
        #expect(elements.named("skipped").count == 3)
        #expect(elements.named("testsuites").first?["tests"] == "8")
        #expect(elements.named("testsuites").first?["time"] == "2.000")
        #expect(elements.named("testsuite").map { $0["skipped"] } == ["1", "2"])
        #expect(elements.named("property").contains { $0 == ["name": "contract", "value": "d16e57"] })
    }

    @Test(arguments: [ContractReport.Outcome.failed, .crashed, .timedOut])
    func `a known deviation of any kind is skipped in JUnit XML, and a warning on the page`(
        _ outcome: ContractReport.Outcome
    ) throws {
        func document(_ deviations: [KnownDeviation]) -> ContractDocument {
            let report = Made.report([(Made.rule("LIST-01"), .passed, outcome)], deviations: deviations)
            return ContractDocument(name: "n", report: report)
        }
        let known = KnownDeviation(
            .rule("LIST-01", on: "v2"),
            reason: "r",
            link: Made.link,
            expires: "2026-12-01",
            outcome: outcome
        )
        let elements = try XMLElements(document([known]).junit())
        #expect(elements.named("skipped").map { $0["message"] } == ["\(known.note): no detail"])
        #expect(elements.named("failure").isEmpty && elements.named("error").isEmpty)
        #expect(elements.named("testsuite").map { $0["skipped"] } == ["0", "1"])
        #expect(document([known]).html().contains("<strong class=\"warn\">LIST-01 on v2: "))
        #expect(document([]).html().contains("<strong class=\"bad\">LIST-01 on v2: "))
    }

    @Test func `a problem of the run itself is a separate case in JUnit XML`() throws {
        var report = Made.report([(Made.rule("LIST-01"), .passed, .passed)])
        report.rows.removeLast()
        let elements = try XMLElements(ContractDocument(name: "n", report: report).junit())
        #expect(elements.named("testsuite").last?["name"] == "run")
        #expect(elements.named("error").first?["message"] == "LIST-01 on v2 was declared and is not in the report")
    }

    @Test func `Markdown keeps to its tables, and mentions nobody`() {
        let text = Self.document.markdown()
        #expect(
            text.hasPrefix(
                "## Contract: Shop &amp; &lt;Co&gt;\n\n❌ 2 passed, 2 skipped, 2 failed, 1 timed out, 1 crashed\n"
            )
        )
        #expect(text.contains("### May we upgrade? **no**, until 2026-12-01"))
        #expect(text.contains("| LIST-01 | M | ✓ | ✗ | &lt;b&gt;every&lt;/b&gt; &amp; \"all\" \\| items |"))
        #expect(!text.contains("@") && !text.contains("\u{1B}"))
        for table in text.components(separatedBy: "\n\n") where table.hasPrefix("|") {
            let columns = table.split(separator: "\n").map {
                $0.replacing("\\|", with: "").count { $0 == "|" }
            }
            #expect(Set(columns).count == 1, "\(table)")
        }
    }

    @Test func `the page is well-formed, complete, and loads nothing`() throws {
        let page = Self.document.html()
        let elements = try XMLElements(page)
        #expect(elements.named("html").first?["lang"] == "en")
        #expect(elements.named("meta").contains { $0["name"] == "viewport" })
        #expect(
            elements.named("section").compactMap { $0["aria-labelledby"] }
                == ["verdict", "comparison", "matrix", "why", "drift", "provenance"]
        )
        for name in ["script", "img", "link", "iframe"] { #expect(elements.named(name).isEmpty) }
        #expect(!page.contains("http://") && !page.contains("url(") && !page.contains("@import"))
        let ids = elements.all.compactMap { $0["id"] }
        #expect(Set(ids).count == ids.count, "each id once")
        let targets = elements.named("a").compactMap { $0["href"]?.dropFirst() }.map(String.init)
        #expect(Set(targets).isSubset(of: ids), "each link leads somewhere")
        #expect(Set(elements.all.compactMap { $0["aria-labelledby"] }).isSubset(of: ids))
    }

    @Test func `tables have headers for rows and columns, and the keyboard reaches what scrolls`() throws {
        let elements = try XMLElements(Self.document.html())
        #expect(elements.named("th").allSatisfy { ["row", "col"].contains($0["scope"]) })
        let parts = elements.named("div").filter { $0["class"] == "scroll" }
        #expect(parts.count == elements.named("table").count)
        #expect(parts.allSatisfy { $0["role"] == "group" && $0["tabindex"] == "0" && $0["aria-labelledby"] != nil })
    }

    @Test func `many reasons, and long ones, unfold on demand`() throws {
        var document = Self.document
        let notes = (1...9).map { "note \($0)" } + [String(repeating: "long ", count: 50)]
        document.verdict?.notes = notes
        let page = document.html()
        _ = try XMLElements(page)
        let verdict = try #require(page.components(separatedBy: "<section").first { $0.contains("id=\"verdict\"") })
        let parts = verdict.components(separatedBy: "<details><summary>")
        #expect(parts.count == 2 && !parts[0].contains("long long"))
        for note in notes { #expect(page.contains("<li>\(note)</li>")) }
    }

    @Test func `documents are the same text for the same report`() {
        let again = Self.document
        #expect(again.html() == Self.document.html())
        #expect(again.junit() == Self.document.junit())
        #expect(again.markdown() == Self.document.markdown())
    }

    @Test func `a report that describes nothing still makes documents`() throws {
        let empty = ContractDocument(name: "", report: ContractReport())
        #expect(try XMLElements(empty.html()).named("table").count == 1)
        #expect(try XMLElements(empty.junit()).named("error").count == 1)
        #expect(empty.markdown().contains("nothing was run"))
    }
}

/// The elements of an XML document, in order, with their attributes.
private final class XMLElements: NSObject, XMLParserDelegate {
    private var elements: [(name: String, attributes: [String: String])] = []

    struct NotWellFormed: Error {
        let line: Int
    }

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else { throw NotWellFormed(line: parser.lineNumber) }
    }

    var all: [[String: String]] { elements.map(\.attributes) }
    func named(_ name: String) -> [[String: String]] { elements.filter { $0.name == name }.map(\.attributes) }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String] = [:]
    ) {
        elements.append((elementName, attributeDict))
    }
}
