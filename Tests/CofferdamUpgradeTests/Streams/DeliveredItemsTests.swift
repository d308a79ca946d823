import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct DeliveredItemsTests {
    @Test func `the last deliveries are remembered, within a bound`() {
        var delivered = DeliveredItems(memory: 50)
        for number in 0..<10_000 { delivered.add([StreamItem("\(number)", clientID: "own \(number)")]) }
        #expect(delivered.count == 100)
        #expect((9_950..<10_000).allSatisfy { delivered.contains([StreamItem("\($0)")]) })
        #expect(!delivered.contains([StreamItem("9949")]))
    }

    @Test func `a sender's own item is known by the id that the sender gave it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add([StreamItem("temporary", clientID: "mine")])
        #expect(delivered.contains([StreamItem("7", clientID: "mine")]))
        #expect(!delivered.contains([StreamItem("mine")]))
    }

    @Test func `a deletion is delivered once, and nothing of its item after it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add([StreamItem("7", .deletion)])
        #expect(delivered.hasDeletion(of: [StreamItem("7")]))
        #expect(delivered.hasDeletion(of: [StreamItem("7", "edited")]))
        #expect(!delivered.hasDeletion(of: [StreamItem("7", .deletion)]))
        #expect(delivered.contains([StreamItem("7", .deletion)]))
    }

    @Test func `at least fifty are always remembered`() { #expect(StreamLimits(memory: 3).memory == 50) }
}
