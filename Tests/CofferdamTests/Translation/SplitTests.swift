import Cofferdam
import CofferdamSupport
import Testing

@Suite struct SplitTests {
    private struct Even: Equatable { var value: Int }
    private struct Small: Equatable { var value: Int }

    private let even = Translator<Int, Even> { value, _ throws(TranslationIssue) in
        guard value % 10 != 8 else { throw TranslationIssue("ends in eight", at: "value", raw: "\(value)") }
        return Even(value: value)
    }

    private func sort(_ sources: [Int]) -> (even: [Even], small: [Small], split: Split<Int>) {
        var split = Split(sources, at: "items")
        let even = split.take(where: { $0.isMultiple(of: 2) }, self.even)
        let small = split.take { $0 < 5 ? Small(value: $0) : nil }
        return (even, small, split)
    }

    @Test func `each list keeps the order, and the first that recognises an element takes it`() {
        let (even, small, split) = sort([7, 2, 3, 8, 1, 4, 9])
        #expect(even == [Even(value: 2), Even(value: 4)])
        #expect(small == [Small(value: 3), Small(value: 1)])
        #expect(split.failed == [8])
        #expect(split.remainder == [7, 9])
        #expect(split.report.issues.map(\.path) == ["items[3].value"])
        #expect(split.report.issues.map(\.severity) == [.error])
    }

    @Test func `elements that are not taken are the remainder`() {
        #expect(Split([1, 2]).remainder == [1, 2])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever the list, each element ends in exactly one place`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sources = (0..<Int.random(in: 0...200, using: &random)).map { _ in Int.random(in: 0..<30, using: &random) }
        let (even, small, split) = sort(sources)
        #expect((even.map(\.value) + small.map(\.value) + split.failed + split.remainder).sorted() == sources.sorted())
        #expect(split.failed.count == split.report.issues.count)
        #expect(split.remainder.allSatisfy { !$0.isMultiple(of: 2) && $0 >= 5 })
    }
}
