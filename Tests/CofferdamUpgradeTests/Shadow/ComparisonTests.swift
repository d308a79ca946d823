import Cofferdam
import CofferdamUpgrade
import Foundation
import Testing

@Suite struct ComparisonTests {
    struct Line: Sendable {
        var article: String
        var quantity: Int
        var recipient = "Ada"
    }

    struct Box: Sendable {
        var id: String
        var name = "box"
        var legs: Int? = 4
        var lines: [Line] = []
    }

    private let comparator = Comparator<Box>()
        .field("name", \.name)
        .field("legs", \.legs, text: { $0.map { "\($0)" } ?? "unknown" })
        .part("inner", { $0.id }, Comparator<String>().field("length", \.count))
        .list("lines", \.lines, Comparator<Line>().field("quantity", \.quantity).field("article", \.article))

    private func differences(_ legacy: [Box], _ candidate: [Box]) -> [Difference] {
        comparator.differences(legacy: legacy, candidate: candidate, key: { $0.id.lowercased() }, subject: \.id)
    }

    @Test func `equal values have no differences, whatever their order`() {
        let boxes = ["a", "b", "c"].map { Box(id: $0, lines: [Line(article: $0, quantity: 1)]) }
        #expect(differences(boxes, boxes.reversed()).isEmpty)
        #expect(differences([], []).isEmpty)
    }

    @Test func `each field that differs is named by its path, with both texts`() {
        let legacy = Box(id: "a", legs: nil, lines: [Line(article: "x", quantity: 1), Line(article: "y", quantity: 2)])
        let candidate = Box(id: "a", name: "crate", legs: 0, lines: [Line(article: "x", quantity: 3)])
        #expect(
            differences([legacy], [candidate]) == [
                Difference(subject: "a", path: "name", legacy: "box", candidate: "crate"),
                Difference(subject: "a", path: "legs", legacy: "unknown", candidate: "0"),
                Difference(subject: "a", path: "lines[0].quantity", legacy: "1", candidate: "3"),
                Difference(subject: "a", path: "lines[1]", legacy: "quantity: 2, article: y", candidate: nil),
            ]
        )
    }

    @Test func `what one side lacks is a difference`() {
        let found = differences([Box(id: "a"), Box(id: "b")], [Box(id: "b"), Box(id: "c")])
        #expect(found.map(\.subject) == ["a", "c"])
        #expect(found.map(\.path) == [Difference.presence, Difference.presence])
        #expect(found.map { $0.legacy == nil } == [false, true])
        #expect(found.map { $0.candidate == nil } == [true, false])
        let whole = Box(id: "a", lines: [Line(article: "x", quantity: 1)])
        #expect(
            differences([whole], []).map(\.legacy) == [
                "name: box, legs: 4, inner: (length: 1), lines: [(quantity: 1, article: x)]"
            ]
        )
        let nothing = Comparator<Box>().differences(legacy: [whole], candidate: [], key: \.id, subject: \.id)
        #expect(nothing.map(\.legacy) == ["(present)"])
    }

    @Test func `the second of two with one key is compared with the second, or missing if there is none`() {
        let two = [Box(id: "a"), Box(id: "a", name: "other")]
        #expect(differences(two, two).isEmpty)
        #expect(differences(two, [Box(id: "a"), Box(id: "a")]).map(\.path) == ["name"])
        #expect(differences(two, [Box(id: "a")]).map(\.path) == [Difference.presence])
    }

    private static let zero = ExpectedDifference(
        id: "D5",
        path: "legs",
        reason: "the legacy side says 0 for unknown",
        changes: [.init(from: "0?", to: ["unknown", "0"])]
    )
    private static let price = ExpectedDifference(
        id: "D17",
        path: "lines[*].price",
        reason: "other words",
        changes: [.init(from: nil, to: ["1", nil])]
    )

    @Test(
        arguments: [
            ("legs", "0?", "unknown", "D5"),
            ("legs", "0?", "0", "D5"),
            ("legs", "0?", "4", nil),
            ("legs", "4", "unknown", nil),
            ("heads", "0?", "unknown", nil),
            ("legs", "0?", nil, nil),
            ("lines[0].price", nil, "1", "D17"),
            ("lines[12].price", nil, nil, "D17"),
            ("lines[x].price", nil, "1", nil),
            ("lines.price", nil, "1", nil),
            ("lines[0].price.currency", nil, "1", nil),
            ("lines[0]", nil, "1", nil),
        ] as [(String, String?, String?, String?)]
    )
    func `an expectation covers its path and its changes, and nothing else`(
        path: String,
        legacy: String?,
        candidate: String?,
        id: String?
    ) {
        let difference = Difference(subject: "a", path: path, legacy: legacy, candidate: candidate)
        let report = ComparisonReport([difference], expecting: [Self.zero, Self.price])
        #expect(report.expected.map(\.id) == (id.map { [$0] } ?? []))
        #expect(report.unexpected == (id == nil ? [difference] : []))
    }

    @Test func `a report survives JSON`() throws {
        let report = ComparisonReport(
            [
                Difference(subject: "a", path: "legs", legacy: "0?", candidate: "0"),
                Difference(subject: "a", path: Difference.presence, legacy: nil, candidate: "b"),
            ],
            expecting: [Self.zero, Self.price]
        )
        let decoded = try JSONDecoder().decode(ComparisonReport.self, from: try JSONEncoder().encode(report))
        #expect(decoded == report)
        let expectations = [Self.zero, Self.price]
        let data = try JSONEncoder().encode(expectations)
        #expect(try JSONDecoder().decode([ExpectedDifference].self, from: data) == expectations)
    }
}
