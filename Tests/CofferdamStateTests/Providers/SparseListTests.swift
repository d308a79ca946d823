import Testing

@testable import Cofferdam
import CofferdamSupport
@testable import CofferdamState

@Suite struct SparseListTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `it has the same elements as a dictionary, in the order of the keys`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var list = SparseList<Int>()
        var model: [Int: Int] = [:]
        for step in 0..<500 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2 where step < 400: model[list.add(step)] = step
            case 4 where step.isMultiple(of: 97):
                #expect(list.removeAll().compactMap(\.element) == inOrder(model))
                model = [:]
            default:
                let key = Int.random(in: 0...(list.lastKey + 1), using: &random)
                #expect(list[key] == model[key])
                #expect(list.remove(key) == model.removeValue(forKey: key))
            }
            #expect(list.count == model.count)
            #expect(list.slots.compactMap(\.element) == inOrder(model))
            // Holes never outnumber the elements.
            #expect(list.slots.count <= 2 * model.count)
        }
    }

    private func inOrder(_ model: [Int: Int]) -> [Int] { model.sorted { $0.key < $1.key }.map(\.value) }
}
