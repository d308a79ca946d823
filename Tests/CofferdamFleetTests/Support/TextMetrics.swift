import Cofferdam
import CoreMetrics

/// Counters and gauges in memory, and as the text that Prometheus scrapes.
final class TextMetrics: MetricsFactory, Sendable {
    private let values = Mutex((counters: [String: Int64](), gauges: [String: Double]()))

    /// One line for each series.
    var text: String {
        values.withLock { values in
            let counters = values.counters.map { "\($0.key) \($0.value)\n" }
            return (counters + values.gauges.map { "\($0.key) \($0.value)\n" }).sorted().joined()
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        TextCounter(metrics: self, series: Self.series(label, dimensions))
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        TextGauge(metrics: self, series: Self.series(label, dimensions))
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private static func series(_ label: String, _ dimensions: [(String, String)]) -> String {
        "\(label){\(dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ","))}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private final class TextCounter: CounterHandler {
        let metrics: TextMetrics
        let series: String

        init(metrics: TextMetrics, series: String) {
            self.metrics = metrics
            self.series = series
        }

        func increment(by amount: Int64) { metrics.values.withLock { $0.counters[series, default: 0] += amount } }
        func reset() { metrics.values.withLock { $0.counters[series] = 0 } }
    }
    private final class TextGauge: RecorderHandler {
        let metrics: TextMetrics
        let series: String

        init(metrics: TextMetrics, series: String) {
            self.metrics = metrics
            self.series = series
        }

        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { metrics.values.withLock { $0.gauges[series] = value } }
    }
}
