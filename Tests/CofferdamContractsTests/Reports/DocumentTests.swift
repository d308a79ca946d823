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
            drift: [
                .init(
                    tier: "warn",
                    id: nil,
                    place: "items, <7>, price",
                    legacy: "1",
                    candidate: nil,
                    reason: "why & how"
                )
            ]
        )
    }()

    @Test func `JUnit XML has a case for each rule and adapter, and is well-formed`() throws {
        let elements = try XMLElements(Self.document.junit())
        let cases = elements.named("testcase")
        #expect(cases.count == 8)
        #expect(Set(cases.map { "\($0["name"] ?? "") on \($0["classname"] ?? "")" }).count == 8)
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

    @Test func `what is wrong with the run itself is a case of its own in JUnit XML`() throws {
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
        let regions = elements.named("div").filter { $0["class"] == "scroll" }
        #expect(regions.count == elements.named("table").count)
        #expect(regions.allSatisfy { $0["role"] == "region" && $0["tabindex"] == "0" && $0["aria-labelledby"] != nil })
    }

    @Test func `many reasons, and long ones, unfold on demand`() throws {
        var document = Self.document
        let notes = (1...9).map { "note \($0)" } + [String(repeating: "long ", count: 50)]
        document.verdict?.notes = notes
        let page = document.html()
        _ = try XMLElements(page)
        let parts = page.components(separatedBy: "<details><summary>")
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
