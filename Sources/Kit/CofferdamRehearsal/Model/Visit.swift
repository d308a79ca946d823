import Cofferdam
import CofferdamUpgrade

/// A user's visit: what a unit does from when it comes until it goes. The same seed, epoch and number give the same visit.
struct Visit: Sendable {
    /// The user's or the device's name. It comes again in each epoch, and some come again in the same one.
    let unit: String
    /// Whether the unit was here before in this epoch.
    let isReturning: Bool
    /// What it does, one after the other.
    let steps: [VisitStep]
    /// How long its user stays at the most; nil for one who sees it through.
    let givesUpAfter: Duration?
    let followChance: Double
    private let chance: UInt64

    /// - Parameter number: from 0, in its epoch.
    init(seed: UInt64, epoch: Int, number: Int, _ habits: VisitHabits) {
        var random = Self.random(seed, epoch, UInt64(number))
        let isReturning = Self.returns(&random, number, habits)
        chance = random.next()
        followChance = random.uniform()
        let wait = habits.shortestWait + (habits.longestWait - habits.shortestWait) * random.uniform()
        givesUpAfter = random.uniform() <= habits.givingUp ? wait : nil
        var count = habits.steps.lowerBound
        while count < habits.steps.upperBound, random.uniform() <= habits.more { count += 1 }
        let unit = "unit-\(Self.firstVisit(of: number, seed, epoch, habits))"
        (self.unit, self.isReturning) = (unit, isReturning)
        steps = (0..<count).map { index in
            VisitStep(unit: unit, key: "r\(seed)-\(epoch)-\(number)-\(index)", index: index, &random)
        }
    }

    /// One of those who come when all others have gone, in the last epoch, and do one thing.
    ///
    /// - Parameter number: from 0.
    init(seed: UInt64, epoch: Int, last number: Int) {
        var random = Self.random(seed, epoch, ~UInt64(number))
        (unit, isReturning, givesUpAfter) = ("unit-last-\(number)", false, nil)
        (chance, followChance) = (random.next(), random.uniform())
        steps = [VisitStep(unit: unit, key: "r\(seed)-\(epoch)-last-\(number)", index: 0, &random)]
    }

    /// One of them, as chance wants it.
    func choice(from range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(chance % UInt64(range.count))
    }

    /// The number of the first visit of the unit that comes by as `number`.
    private static func firstVisit(of number: Int, _ seed: UInt64, _ epoch: Int, _ habits: VisitHabits) -> Int {
        var number = number
        while true {
            var random = random(seed, epoch, UInt64(number))
            guard returns(&random, number, habits) else { return number }
            // Long enough ago that its visit is over.
            number = Int(random.next() % UInt64(number / 2))
        }
    }

    /// The first of a visit's chances.
    private static func returns(_ random: inout SplitMix64, _ number: Int, _ habits: VisitHabits) -> Bool {
        random.uniform() <= habits.returning && number >= fewestBeforeReturn
    }

    private static let fewestBeforeReturn = 200

    private static func random(_ seed: UInt64, _ epoch: Int, _ number: UInt64) -> SplitMix64 {
        SplitMix64(seed: seed ^ UInt64(epoch) << 40 ^ number)
    }
}

/// How users behave.
struct VisitHabits: Sendable, Hashable {
    /// How many things a visit consists of.
    var steps = 2...8
    /// How probable it is that there is one more, from the fewest on.
    var more = 1 / 3.0
    /// Which share of the visits are of units that were here before in the same epoch.
    var returning = 0.1
    /// Which share of the users give up while something is under way.
    var givingUp = 0.02
    /// After how long they do.
    var shortestWait: Duration = .milliseconds(2)
    var longestWait: Duration = .milliseconds(200)
}

/// One thing that a unit does in a visit.
public struct VisitStep: Sendable {
    /// The user's or the device's name: the same one does several things in a visit, and comes again.
    public let unit: String
    /// Of this step alone: what a write leaves behind, so that it can be found again.
    public let key: String
    /// How many things the unit has done before in this visit.
    let index: Int
    /// What it does.
    var operation = ""
    let operationChance: (kind: Double, operation: Double)
    private let chance: UInt64

    fileprivate init(unit: String, key: String, index: Int, _ random: inout SplitMix64) {
        (self.unit, self.key, self.index) = (unit, key, index)
        operationChance = (random.uniform(), random.uniform())
        chance = random.next()
    }

    /// One that is no user's: to try whether something answers.
    static var trial: VisitStep {
        var random = SplitMix64(seed: 0)
        return VisitStep(unit: "trial", key: "trial", index: 0, &random)
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

    /// The one that a call is made for; nil outside of visits.
    @TaskLocal static var current: VisitStep?
}
