import Foundation
import Testing

@testable import CofferdamRehearsal

struct TrafficTests {
    @Test(arguments: ["read=85,walk=5,write=10,follow=2", "write=1", "read=0,write=1", "read=1,follow=0"])
    func `a mix reads back as it is written`(_ text: String) throws {
        #expect(try TrafficMix(text).description == text)
    }

    @Test(arguments: [
        "", "read", "read=-1", "read=0", "reads=1", "read=1,read=2", "read=1,", "read=99999999999", "follow=1",
    ])
    func `an invalid mix names what is wrong`(_ text: String) {
        #expect(throws: TrafficMixError.self) { try TrafficMix(text) }
    }

    @Test func `operations come as often as the mix and their weights say`() throws {
        let operations = [
            TrafficOperation<Int>("often", .read, weight: 3) { _, _ in },
            TrafficOperation<Int>("seldom", .read, weight: 1) { _, _ in },
            TrafficOperation<Int>("never", .read, weight: 0) { _, _ in },
            TrafficOperation<Int>("write", .write) { _, _ in },
        ]
        let mix = try TrafficMix("read=4,write=1")
        var (counts, one): ([String: Int], VisitHabits) = ([:], VisitHabits())
        one.steps = 1...1
        for number in 0..<10_000 {
            let visit = Visit(seed: 1, epoch: 0, number: number, one)
            for step in visit.steps {
                counts[mix.operation(of: step, among: operations)?.name ?? "none", default: 0] += 1
            }
        }
        #expect(Set(counts.keys) == ["often", "seldom", "write"])
        #expect((5_800...6_200).contains(counts["often", default: 0]))
        #expect((1_850...2_150).contains(counts["seldom", default: 0]))
    }

    @Test func `a unit returns in another epoch, and writes another key`() throws {
        let habits = VisitHabits()
        let (one, other) = (
            Visit(seed: 1, epoch: 1, number: 7, habits), Visit(seed: 1, epoch: 2, number: 7, habits)
        )
        #expect(one.unit == other.unit)
        #expect(Set((one.steps + other.steps).map(\.key)).count == one.steps.count + other.steps.count)
        let step = try #require(one.steps.first)
        #expect(throws: VisitStep.NothingToChoose.self) { try step.choice(from: [Int]()) }
    }

    @Test func `a loss has a count of each kind in JSON, and words for people`() throws {
        var loss = Loss()
        #expect(loss.description == "nothing")
        for _ in 0..<5 { loss.add(.failed, "read: closed") }
        loss.add(.duplicated, "r1 is there 2 times")
        #expect(loss.description == "5 calls that failed, 1 write done more than once")
        #expect(loss.examples.count == 4)
        let text = String(decoding: try JSONEncoder().encode(loss), as: UTF8.self)
        #expect(text.contains(#""failed":5"#) && text.contains(#""hung":0"#))
    }
}
