import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// A user's visit: the steps of one unit. The same seed, epoch and number give the same visit.
struct Visit: Sendable {
    /// The user's or device's name. Units return in each epoch, and some return within an epoch.
    let unit: String
    /// Whether the unit has visited before in this epoch.
    let isReturning: Bool
    /// The unit's steps, in order.
    let steps: [VisitStep]
    /// The maximum time that the user stays; nil for a user who completes all steps.
    let givesUpAfter: Duration?
    let followChance: Double
    private let chance: UInt64

    /// - Parameter number: the visit's number in its epoch, from 0.
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

    /// Creates a visit of one step, for the end, after all others.
    ///
    /// - Parameter number: the visit's number, from 0.
    init(seed: UInt64, epoch: Int, last number: Int) {
        var random = Self.random(seed, epoch, ~UInt64(number))
        (unit, isReturning, givesUpAfter) = ("unit-last-\(number)", false, nil)
        (chance, followChance) = (random.next(), random.uniform())
        steps = [VisitStep(unit: unit, key: "r\(seed)-\(epoch)-last-\(number)", index: 0, &random)]
    }

    /// A random number in the range, always the same for this visit.
    func choice(from range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(chance % UInt64(range.count))
    }

    /// The number of the first visit of the unit whose visit has this number.
    private static func firstVisit(of number: Int, _ seed: UInt64, _ epoch: Int, _ habits: VisitHabits) -> Int {
        var number = number
        while true {
            var random = random(seed, epoch, UInt64(number))
            guard returns(&random, number, habits) else { return number }
            // An early visit, which is over by now.
            number = Int(random.next() % UInt64(number / 2))
        }
    }

    /// Whether the visit is of a returning unit. Takes the visit's first random number.
    private static func returns(_ random: inout SplitMix64, _ number: Int, _ habits: VisitHabits) -> Bool {
        random.uniform() <= habits.returning && number >= minimumBeforeReturn
    }

    private static let minimumBeforeReturn = 200

    private static func random(_ seed: UInt64, _ epoch: Int, _ number: UInt64) -> SplitMix64 {
        SplitMix64(seed: seed ^ UInt64(epoch) << 40 ^ number)
    }
}

/// How users behave.
struct VisitHabits: Sendable, Hashable {
    /// The number of steps of a visit.
    var steps = 2...8
    /// The probability of each further step after the minimum.
    var more = 1 / 3.0
    /// The share of the visits by units that have visited before in the same epoch.
    var returning = 0.1
    /// The share of the users who give up during a call.
    var givingUp = 0.02
    /// The shortest and the longest time after which they give up.
    var shortestWait: Duration = .milliseconds(2)
    var longestWait: Duration = .milliseconds(200)
}

/// One step of a visit.
public struct VisitStep: Sendable {
    /// The user's or device's name; shared by all steps of a visit.
    public let unit: String
    /// A key unique to this step, which a write stores so that the rehearsal can find it.
    public let key: String
    /// How many steps the unit has taken before in this visit.
    let index: Int
    /// The operation's name.
    var operation = ""
    let operationChance: (kind: Double, operation: Double)
    private let chance: UInt64

    fileprivate init(unit: String, key: String, index: Int, _ random: inout SplitMix64) {
        (self.unit, self.key, self.index) = (unit, key, index)
        operationChance = (random.uniform(), random.uniform())
        chance = random.next()
    }

    /// A step without a user, to try an operation.
    static var trial: VisitStep {
        var random = SplitMix64(seed: 0)
        return VisitStep(unit: "trial", key: "trial", index: 0, &random)
    }

    /// A random element; the same for the same step.
    ///
    /// - Throws: an error if the list is empty.
    public func choice<Item>(from items: [Item]) throws -> Item {
        guard !items.isEmpty else { throw NothingToChoose() }
        return items[Int(chance % UInt64(items.count))]
    }

    /// The list is empty: the service has no data.
    package struct NothingToChoose: Error, CustomStringConvertible {
        package var description: String { "there is nothing to choose from" }
    }

    /// The step that makes the current call; nil outside of visits.
    @TaskLocal static var current: VisitStep?
}
