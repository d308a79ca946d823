import CofferdamSupport
import TestSupport

/// How the SDKs' streams behave in one run.
struct FeedManners: Sendable {
    /// How many of the last events the candidate repeats for a new subscriber.
    let replay: Int
    let acknowledges: Bool
    /// In percent.
    let skips: Int
    let repeats: Int
    /// In a thousand of ticks.
    let failures: Int

    init(_ dice: inout Dice) {
        replay = [0, 3, 50][dice.roll(3)]
        acknowledges = dice.roll(3) > 0
        skips = dice.roll(2) == 0 ? 0 : dice.roll(40)
        repeats = dice.roll(2) == 0 ? 0 : dice.roll(40)
        failures = dice.roll(2) == 0 ? 0 : dice.roll(8)
    }
}
