import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct DeliveredItemsTests {
    @Test func `the last deliveries are remembered, within a bound`() {
        var delivered = DeliveredItems(memory: 50)
        for number in 0..<10_000 { delivered.add(StreamEvent(StreamItem("\(number)", clientID: "own \(number)"))) }
        #expect((9_950..<10_000).allSatisfy { delivered.contains(StreamEvent(StreamItem("\($0)"))) })
        #expect(!delivered.contains(StreamEvent(StreamItem("9800"))))
    }

    @Test func `a sender's own item is known by the id that the sender gave it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add(StreamEvent(StreamItem("temporary", clientID: "mine")))
        #expect(delivered.contains(StreamEvent(StreamItem("7", clientID: "mine"))))
        #expect(!delivered.contains(StreamEvent(StreamItem("mine"))))
    }

    @Test func `an event that arrived under two ids is new once`() {
        var delivered = DeliveredItems(memory: 50)
        var event = StreamEvent(StreamItem("temporary", clientID: "mine"))
        event.others = [StreamItem("7", clientID: "mine")]
        let isNew = [event, event, StreamEvent(StreamItem("7"))].map { delivered.add($0) }
        #expect(isNew == [true, false, false])
    }

    @Test func `a deletion is delivered once, and nothing of its item after it`() {
        var delivered = DeliveredItems(memory: 50)
        delivered.add(StreamEvent(StreamItem("7", .deletion)))
        #expect(delivered.hasDeletion(of: StreamEvent(StreamItem("7"))))
        #expect(delivered.hasDeletion(of: StreamEvent(StreamItem("7", "edited"))))
        #expect(!delivered.hasDeletion(of: StreamEvent(StreamItem("7", .deletion))))
        #expect(delivered.contains(StreamEvent(StreamItem("7", .deletion))))
    }

    @Test func `at least fifty are always remembered`() { #expect(StreamLimits(memory: 3).memory == 50) }
}
