import Cofferdam
import Testing

/// Reads whole numbers; "~7" is 7 with a warning, "!" reports a warning and then has no value.
struct NumberTranslation: Translation {
    func read(_ text: String, _ report: inout TranslationReport) throws(TranslationIssue) -> Int {
        if text == "!" { report.add(TranslationIssue("odd", at: "sign", raw: text, severity: .warning)) }
        if text.hasPrefix("~"), let number = Int(text.dropFirst()) {
            report.add(TranslationIssue("approximate", at: "value", raw: text, severity: .warning))
            return number
        }
        guard let number = Int(text) else { throw TranslationIssue("no number", at: "value", raw: text) }
        return number
    }
}

private struct HexTranslation: Translation {
    func read(_ text: String, _ report: inout TranslationReport) throws(TranslationIssue) -> Int {
        guard let number = Int(text, radix: 16) else { throw TranslationIssue("no hex", at: "", raw: text) }
        return number
    }
}

private struct TextTranslation: Translation {
    func read(_ number: Int, _ report: inout TranslationReport) throws(TranslationIssue) -> String {
        guard number >= 0 else { throw TranslationIssue("negative", at: "", raw: "\(number)") }
        return "\(number)"
    }
}

@Suite struct CombinatorTests {
    private let number = NumberTranslation()

    /// Returns the value or nil, and each issue as "severity what at path".
    private func outcome<T: Translation>(_ translation: T, _ source: T.Source) -> (value: T.Target?, issues: [String]) {
        var report = TranslationReport()
        var value: T.Target?
        do throws(TranslationIssue) { value = try translation.translate(source, into: &report) } catch {
            #expect(report.issues.contains(error))
        }
        return (value, report.issues.map { "\($0.severity) \($0.what) at \($0.path)" })
    }

    @Test func `an absent value is data, and a wrong one is an error`() {
        #expect(outcome(number.optional, nil).value == .some(nil))
        #expect(outcome(number.optional, nil).issues.isEmpty)
        #expect(outcome(number.optional, "7").value == 7)
        #expect(outcome(number.optional, "x").value == nil)
        #expect(outcome(number.optional, "x").issues == ["error no number at value"])
    }

    @Test func `a part's issues have its path, warnings and losses alike`() {
        #expect(outcome(number.at("price").at("line"), "~2").issues == ["warning approximate at line.price.value"])
        #expect(
            outcome(number.at("price"), "!").issues == ["warning odd at price.sign", "error no number at price.value"]
        )
        #expect(outcome(HexTranslation().at("code"), "x").issues == ["error no hex at code"])
    }

    @Test func `lists in lists keep every index and field on the way`() {
        let rows = number.at("n").array(at: "cells").array(at: "rows")
        let (value, issues) = outcome(rows, [["1"], ["~2", "x"], []])
        #expect(value == [[1], [2], []])
        #expect(
            issues == [
                "warning approximate at rows[1].cells[0].n.value", "error no number at rows[1].cells[1].n.value",
            ]
        )
    }

    @Test func `a failing inner list loses only its element and is reported once`() {
        let rows = number.array(at: "cells", policy: .failOnFirst).array(at: "rows")
        let (value, issues) = outcome(rows, [["1"], ["2", "x", "y"], ["3"]])
        #expect(value == [[1], [3]])
        #expect(issues == ["error no number at rows[1].cells[1].value"])
    }

    @Test func `a page keeps what is beside its list, and its list's issues`() {
        struct VendorPage { var results: [String], next: String? }
        struct Page: Equatable { var items: [Int], next: String? }
        let pages = number.page({ (page: VendorPage) in page.results }, at: "results") {
            page,
            items throws(TranslationIssue) in
            guard page.next != "again" else { throw TranslationIssue("repeats", at: "next", raw: "again") }
            return Page(items: items, next: page.next)
        }
        let (value, issues) = outcome(pages, VendorPage(results: ["1", "x"], next: "c2"))
        #expect(value == Page(items: [1], next: "c2"))
        #expect(issues == ["error no number at results[1].value"])
        #expect(outcome(pages, VendorPage(results: [], next: "again")).issues == ["error repeats at next"])
    }

    @Test(
        arguments: [
            ("7", 7, []), ("ff", 255, []), ("~2", 2, ["warning approximate at value"]),
            ("!", nil, ["error no number at value, nor no hex at "]),
        ] as [(String, Int?, [String])]
    )
    func `the second alternative is tried after the first fails, and only the used one is reported`(
        text: String,
        expected: Int?,
        reported: [String]
    ) {
        let (value, issues) = outcome(number.or(HexTranslation()), text)
        #expect(value == expected)
        #expect(issues == reported)
    }

    @Test func `issues of the unused alternative are not reported`() {
        let sign = Translator<String, Int> { _, _ in 0 }
        let (value, issues) = outcome(number.or(sign), "!")
        #expect(value == 0)
        #expect(issues.isEmpty)
    }

    @Test func `two alternatives that fail alike are one issue at that place`() {
        let other = Translator<String, Int> { text, _ throws(TranslationIssue) in
            throw TranslationIssue("no word", at: "value", raw: text)
        }
        #expect(outcome(number.or(other), "x").issues == ["error no number, nor no word at value"])
    }

    @Test func `a translator does what its translation does, one by one and in a list`() throws {
        let translations = number.then(TextTranslation()).at("n")
        let erased = Translator(Translator(translations))
        let sources = ["1", "~2", "x", "-4", "!"]
        var expected = TranslationReport()
        var report = TranslationReport()
        #expect(
            try translations.translate(sources, at: "items", into: &expected)
                == erased.translate(sources, at: "items", into: &report)
        )
        #expect(report == expected)
        for source in sources { #expect(outcome(translations, source) == outcome(erased, source)) }
    }

    @Test func `a sequence that is not an array is translated like one`() throws {
        var report = TranslationReport()
        let sources = sequence(first: 1) { $0 < 4 ? $0 + 1 : nil }.lazy.map { $0 == 3 ? "x" : "\($0)" }
        #expect(try number.translate(sources, at: "items", into: &report) == [1, 2, 4])
        #expect(report.issues.map(\.path) == ["items[2].value"])
    }

    @Test func `many losses are each reported once, in linear time`() throws {
        var report = TranslationReport()
        let sources = Array(repeating: "x", count: 20_000)
        #expect(try number.translate(sources, into: &report).isEmpty)
        #expect(report.issues.count == sources.count)
    }
}
