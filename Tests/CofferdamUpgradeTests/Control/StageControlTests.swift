import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct StageControlTests {
    @Test func `a larger sample of the canary's rest contains the units of a smaller one`() async throws {
        let control = StageControl(StageState(stage: .canary(share: 1000)))
        func compared(_ rest: Share) throws -> Set<Int> {
            control.sample(by: Sampling(canaryRest: rest))
            let bucketing = try Bucketing(salt: "zoo")
            return Set(
                (0..<1000).filter { index in
                    let session = UnitSession(unit: "keeper \(index)", control: control, bucketing: bucketing)
                    return session.side == .legacy && session.decision().isSampled
                }
            )
        }
        let (few, many) = (try compared(1000), try compared(5000))
        #expect(few.isSubset(of: many))
        #expect((60...120).contains(few.count))
        #expect((390...510).contains(many.count))
        #expect(try compared(.none).isEmpty)
    }

    @Test func `a change of the sample takes effect at the next call, without a new epoch`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all))
        try await upgrade.call(.read)
        upgrade.control.sample(by: Sampling(halvings: 14))
        try await upgrade.call(.read)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.sides.count { $0 == "candidate" } == 1)
        #expect(upgrade.control.state.epoch == 0)
    }
}
