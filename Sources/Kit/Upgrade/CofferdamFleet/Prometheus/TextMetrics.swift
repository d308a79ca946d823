#if Fleet
import Cofferdam
package import CoreMetrics  // conforms to MetricsFactory

/// Counters and gauges in memory, with a text that Prometheus can scrape.
package final class TextMetrics: MetricsFactory, Sendable {
    private struct State {
        var counters: [String: Int64] = [:]
        var gauges: [String: Double] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The text format of Prometheus, version 0.0.4: a line for each series.
    package var text: String {
        let state = state.withLock { $0 }
        let counters = state.counters.map { "\($0.key) \($0.value)\n" }
        return (counters + state.gauges.map { "\($0.key) \($0.value)\n" }).sorted().joined()
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Series(metrics: self, name: Self.name(label, dimensions))
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Series(metrics: self, name: Self.name(label, dimensions))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
        let labels = dimensions.map { "\($0.0)=\"\(escaped($0.1))\"" }
        return "\(label){\(labels.joined(separator: ","))}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private final class Series: CounterHandler, RecorderHandler {
        private let metrics: TextMetrics
        private let name: String

        init(metrics: TextMetrics, name: String) { (self.metrics, self.name) = (metrics, name) }

        func increment(by amount: Int64) {
            metrics.state.withLock { $0.counters[name, default: 0] += amount }
        }
        func reset() { metrics.state.withLock { $0.counters[name] = 0 } }
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { metrics.state.withLock { $0.gauges[name] = value } }
    }
}
#endif
