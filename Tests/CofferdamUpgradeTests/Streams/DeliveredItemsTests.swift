import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct ToldItemsTests {
    @Test func `what was told last is remembered, within a bound`() {
        var told = DeliveredItems(memory: 50)
        for number in 0..<10_000 { told.add([StreamItem("\(number)", clientID: "own \(number)")]) }
        #expect(told.count == 100)
        #expect((9_950..<10_000).allSatisfy { told.contains([StreamItem("\($0)")]) })
        #expect(!told.contains([StreamItem("9949")]))
    }

    @Test func `one of a sender's own is known by what he has called it`() {
        var told = DeliveredItems(memory: 50)
        told.add([StreamItem("temporary", clientID: "mine")])
        #expect(told.contains([StreamItem("7", clientID: "mine")]))
        #expect(!told.contains([StreamItem("mine")]))
    }

    @Test func `a deletion is told once, and nothing of its item after it`() {
        var told = DeliveredItems(memory: 50)
        told.add([StreamItem("7", .deletion)])
        #expect(told.hasDeletion(of: [StreamItem("7")]))
        #expect(told.hasDeletion(of: [StreamItem("7", "edited")]))
        #expect(!told.hasDeletion(of: [StreamItem("7", .deletion)]))
        #expect(told.contains([StreamItem("7", .deletion)]))
    }

    @Test func `fewer than fifty are never remembered`() { #expect(StreamLimits(memory: 3).memory == 50) }
}
