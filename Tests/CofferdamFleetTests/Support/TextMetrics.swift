import Cofferdam
import CoreMetrics

/// Counters in memory, and as the text that Prometheus scrapes.
final class TextMetrics: MetricsFactory, Sendable {
    private let values = Mutex([String: Int64]())

    /// One line for each counter.
    var text: String {
        values.withLock { values in values.map { "\($0.key) \($0.value)\n" }.sorted().joined() }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return TextCounter(metrics: self, series: "\(label){\(labels)}")
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

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

        func increment(by amount: Int64) { metrics.values.withLock { $0[series, default: 0] += amount } }
        func reset() { metrics.values.withLock { $0[series] = 0 } }
    }
}
