import Cofferdam
import Testing

struct BackoffTests {
    static let certain = Backoff(initial: .seconds(1), factor: 2, maximum: .seconds(30), jitter: 0)

    @Test(arguments: [(Int.min, 1), (0, 1), (1, 1), (2, 2), (3, 4), (5, 16), (6, 30), (7, 30), (Int.max, 30)])
    func `Without jitter it doubles up to the maximum`(attempt: Int, seconds: Int) {
        #expect(Self.certain.wait(attempt: attempt, random: 0.3) == .seconds(seconds))
    }

    @Test(arguments: [
        (1.0, 0.0, 0.0), (1, 0.5, 2), (1, 1, 4), (0.5, 0, 2), (0.5, 0.5, 3), (0.5, 1, 4), (0, 0, 4), (7, 0.5, 2),
        (-1, 0.5, 4), (1, -3, 0), (1, 3, 4), (.nan, 0.5, 4), (1, .nan, 0),
    ])
    func `The jitter is the random share of the wait`(jitter: Double, random: Double, seconds: Double) {
        var backoff = Self.certain
        backoff.jitter = jitter
        #expect(backoff.wait(attempt: 3, random: random) == .seconds(seconds))
    }

    @Test(arguments: [
        (Backoff(initial: .zero, factor: .infinity, maximum: .seconds(9)), Duration.zero),
        (Backoff(initial: .seconds(-1), factor: 2, maximum: .seconds(9)), .zero),
        (Backoff(initial: .seconds(1), factor: 2, maximum: .seconds(-9)), .zero),
        (Backoff(initial: .seconds(40), factor: 2, maximum: .seconds(9)), .seconds(9)),
        (Backoff(initial: .seconds(1), factor: 0.1, maximum: .seconds(9)), .seconds(1)),
        (Backoff(initial: .seconds(1), factor: .nan, maximum: .seconds(9)), .seconds(1)),
        (Backoff(initial: .seconds(1), factor: .infinity, maximum: .seconds(9)), .seconds(9)),
        (Backoff(initial: .seconds(Int64.max), factor: 10, maximum: .seconds(Int64.max)), .seconds(1e18)),
    ])
    func `Meaningless values do no harm`(backoff: Backoff, wait: Duration) {
        #expect(backoff.wait(attempt: .max, random: 1) == wait)
    }
}
