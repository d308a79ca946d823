import Cofferdam
import Testing
import TestSupport

@Suite struct TranslatedPagesTests {
    /// A list that records which of its elements were read.
    private struct Watched: RandomAccessCollection, Sendable {
        let count: Int
        let touched = Log<Int>()
        var startIndex: Int { 0 }
        var endIndex: Int { count }
        subscript(position: Int) -> String {
            touched.add(position)
            return position % 10 == 3 ? "x\(position)" : "\(position)"
        }
    }

    @Test func `the first page touches only that page`() {
        let sources = Watched(count: 1_000_000)
        let pages = NumberTranslation().pages(of: sources, size: 20, at: "items")
        #expect(sources.touched.entries.isEmpty)
        let first = pages[0]
        #expect(first.values == (0..<20).filter { $0 % 10 != 3 })
        #expect(sources.touched.entries == Array(0..<20))
        #expect(first.issues.map(\.path) == ["items[3].value", "items[13].value"])
        #expect(pages.count == 50_000)
    }

    @Test func `a later page's paths count from the beginning of the list`() {
        let pages = NumberTranslation().pages(of: Watched(count: 45), size: 20)
        #expect(pages[1].issues.map(\.path) == ["[23].value", "[33].value"])
        #expect(pages.last?.values == [40, 41, 42, 44])
    }

    @Test(arguments: [(0, 1), (0, 5), (1, 1), (7, 3), (9, 3), (5, 100), (5, .max), (3, 0), (3, -1)])
    func `all pages together are the whole list`(count: Int, size: Int) throws {
        let sources = (0..<count).map { $0 % 4 == 3 ? "x" : "\($0)" }
        let pages = NumberTranslation().pages(of: sources, size: size, at: "items")
        var report = TranslationReport()
        #expect(try pages.flatMap(\.values) == NumberTranslation().translate(sources, at: "items", into: &report))
        #expect(pages.flatMap(\.issues) == report.issues)
        #expect(pages.dropLast().allSatisfy { $0.values.count + $0.issues.count == max(1, size) })
    }
}
