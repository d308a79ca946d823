import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct DeliveredItemsTests {
    @Test func `what was told last is remembered, within a bound`() {
        var delivered = DeliveredItems(memory: 50)
        for number in 0..<10_000 { delivered.add([StreamItem("\(number)", clientID: "own \(number)")]) }
        #expect(delivered.count == 100)
        #expect((9_950..<10_000).allSatisfy { delivered.contains([StreamItem("\($0)")]) })
        #expect(!delivered.contains([StreamItem("9949")]))
    }

    @Test func `one of a sender's own is known by what he has called it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add([StreamItem("temporary", clientID: "mine")])
        #expect(delivered.contains([StreamItem("7", clientID: "mine")]))
        #expect(!delivered.contains([StreamItem("mine")]))
    }

    @Test func `a deletion is told once, and nothing of its item after it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add([StreamItem("7", .deletion)])
        #expect(delivered.hasDeletion(of: [StreamItem("7")]))
        #expect(delivered.hasDeletion(of: [StreamItem("7", "edited")]))
        #expect(!delivered.hasDeletion(of: [StreamItem("7", .deletion)]))
        #expect(delivered.contains([StreamItem("7", .deletion)]))
    }

    @Test func `fewer than fifty are never remembered`() { #expect(StreamLimits(memory: 3).memory == 50) }
}
