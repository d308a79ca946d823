import CofferdamGate
import Testing

struct MetricTests {
    /// One begins with a combining accent, which forms one character with the slash before it.
    @Test(arguments: ["search", "\u{301}crits", "orders/list"])
    func `a metric of an operation names it, and the metric that it divides`(operation: String) {
        for metric in [Metric.candidateFailures, .candidateFailures.includingOpenWindows] {
            #expect(metric.of(operation).operation == operation)
            #expect(metric.of(operation).whole == metric)
        }
    }
}
