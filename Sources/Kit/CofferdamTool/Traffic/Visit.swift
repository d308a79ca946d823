import Cofferdam
import CofferdamUpgrade

/// One unit that comes by and does one thing. The same seed, epoch and number give the same visit.
public struct Visit: Sendable {
    /// The user's or the device's name: the same one comes again in each epoch.
    public let unit: String
    /// Of this visit alone: what a write leaves behind, so that it can be found again.
    public let key: String
    private let chance: UInt64
    let operationChance: (kind: Double, operation: Double)
    let followChance: Double

    /// - Parameter number: from 0, in its epoch.
    init(seed: UInt64, epoch: Int, number: Int) {
        self.init(seed: seed, epoch: epoch, UInt64(number), name: "\(number)")
    }

    /// One of those who come when all others have gone, in the last epoch.
    ///
    /// - Parameter number: from 0.
    init(seed: UInt64, epoch: Int, last number: Int) {
        self.init(seed: seed, epoch: epoch, ~UInt64(number), name: "last-\(number)")
    }

    private init(seed: UInt64, epoch: Int, _ number: UInt64, name: String) {
        var random = SplitMix64(seed: seed ^ UInt64(epoch) << 40 ^ number)
        operationChance = (random.uniform(), random.uniform())
        chance = random.next()
        followChance = random.uniform()
        unit = "unit-\(name)"
        key = "r\(seed)-\(epoch)-\(name)"
    }

    /// One of them, as chance wants it.
    ///
    /// - Throws: ``NothingToChoose`` from nothing.
    public func choice<Item>(from items: [Item]) throws -> Item {
        guard !items.isEmpty else { throw NothingToChoose() }
        return items[Int(chance % UInt64(items.count))]
    }

    /// There is nothing to choose from: the service is empty.
    public struct NothingToChoose: Error, CustomStringConvertible {
        public var description: String { "there is nothing to choose from" }
    }
}
