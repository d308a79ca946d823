#if Curl
import CofferdamCurl
import Testing

struct RetryBudgetTests {
    let start = ContinuousClock.now

    /// How many retries are granted until one is refused; at most `limit`.
    func granted(_ budget: RetryBudget, after seconds: Double = 0, limit: Int = 1000) -> Int {
        (0..<limit).prefix { _ in budget.withdraw(at: start + .seconds(seconds)) }.count
    }

    @Test func `The reserve is granted at once, and no more`() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, reserve: 7)
        #expect(granted(budget) == 7)
        #expect(granted(budget, after: 1e6) == 0)
    }

    @Test(arguments: [(0.2, 100, 20), (0.1, 100, 10), (1, 30, 30), (0, 100, 0), (0.2, 4, 0), (0.2, 5, 1)])
    func `Requests earn their share of retries`(share: Double, requests: Int, retries: Int) {
        let budget = RetryBudget(share: share, minimumPerSecond: 0, reserve: 50)
        #expect(granted(budget) == 50)
        for _ in 0..<requests { budget.deposit() }
        #expect(granted(budget) == retries)
    }

    @Test func `In an outage each request fails, and the load grows by the share alone`() {
        let budget = RetryBudget(share: 0.2, minimumPerSecond: 0, reserve: 10)
        #expect(granted(budget) == 10)
        var retries = 0
        for _ in 0..<10_000 {
            budget.deposit()
            for _ in 0..<3 where budget.withdraw(at: start) { retries += 1 }
        }
        #expect((1999...2000).contains(retries))
    }

    @Test func `Some retries are granted with time alone`() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 2, reserve: 10)
        #expect(granted(budget) == 10)
        #expect(granted(budget, after: 0.4) == 0)
        #expect(granted(budget, after: 0.5) == 1)
        #expect(granted(budget, after: 2.5) == 4)
    }

    @Test func `Nothing is saved up beyond the reserve`() {
        let budget = RetryBudget(share: 1, minimumPerSecond: 100, reserve: 5)
        for _ in 0..<100 { budget.deposit() }
        #expect(granted(budget) == 5)
        #expect(granted(budget, after: 1000) == 5)
    }

    @Test func `An earlier time gives nothing and takes nothing`() {
        let budget = RetryBudget(share: 0, minimumPerSecond: 1, reserve: 1)
        #expect(granted(budget, after: 10) == 1)
        #expect(granted(budget, after: 5) == 0)
        #expect(granted(budget, after: 10) == 0)
        #expect(granted(budget, after: 11) == 1)
        let full = RetryBudget(share: 0, minimumPerSecond: 1, reserve: 10)
        #expect(granted(full, after: 100, limit: 1) == 1)
        #expect(granted(full, after: 0) == 9)
    }

    @Test(arguments: [Double.nan, -Double.infinity, -1, 0])
    func `Invalid values count as zero`(value: Double) {
        let budget = RetryBudget(share: value, minimumPerSecond: value, reserve: value)
        #expect(granted(budget) == 1)
        budget.deposit()
        #expect(granted(budget, after: 1e9) == 0)
    }

    @Test func `Infinite values are bounded`() {
        let budget = RetryBudget(share: .infinity, minimumPerSecond: .infinity, reserve: .infinity)
        #expect(granted(budget) == 1000)
        budget.deposit()
        #expect(granted(budget, after: 1e15) == 1000)
    }

    @Test func `Concurrent retries are granted up to the reserve`() async {
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, reserve: 25)
        let start = start
        let granted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { budget.withdraw(at: start) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 25)
    }
}
#endif
