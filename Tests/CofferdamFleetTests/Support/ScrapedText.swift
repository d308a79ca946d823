#if Fleet
import Cofferdam
@testable import CofferdamFleet
import Foundation

/// A Prometheus with the current exports of instances, which answers the queries of a `PrometheusEvidence`.
struct ScrapedText: Sendable {
    /// The export of each instance, by its name.
    let instances: [String: TextMetrics]
    /// The instances that are up; the others' series are still there.
    var up: Set<String>
    /// In seconds since 1970.
    var now = 1_000.0

    init(_ instances: [String: TextMetrics]) { (self.instances, up) = (instances, Set(instances.keys)) }

    func evidence(of expected: Set<String>? = nil) -> PrometheusEvidence {
        let client = PrometheusClient { query in
            let result = self.samples(query).map { labels, value in
                #"{"metric":\#(Self.json(labels)),"value":[\#(self.now),"\#(value)"]}"#
            }
            .joined(separator: ",")
            return PrometheusAnswer.success(query, [result])
        }
        return PrometheusEvidence(client, job: "shop", instances: expected ?? up)
    }

    private static func json(_ labels: [String: String]) -> String {
        "{" + labels.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",") + "}"
    }

    private func samples(_ query: String) -> [([String: String], String)] {
        guard let selector = query.firstMatch(of: /([a-z_]+)\{([^}]*)\}/) else { return [] }
        let (name, wanted) = (String(selector.1), Self.labels(String(selector.2)).filter { $0.key != "job" })
        let hasPast = query.contains("_over_time(")
        if name == "up" {
            return up.map { (["instance": $0], query.contains("timestamp(") ? "0" : "1") }
        }
        return instances.flatMap { instance, metrics in
            metrics.text.split(separator: "\n").compactMap { line -> ([String: String], String)? in
                guard hasPast || up.contains(instance),
                    let series = line.firstMatch(of: /^([a-z_]+)\{(.*)\} (\S+)$/), series.1 == name
                else { return nil }
                var labels = Self.labels(String(series.2))
                guard wanted.allSatisfy({ labels[$0.key] == $0.value }) else { return nil }
                labels["instance"] = instance
                guard let value = Double(series.3) else { return nil }
                let answer = query.hasPrefix("time() - ") ? now - value : value
                return (labels, answer == answer.rounded() ? "\(Int(answer))" : "\(answer)")
            }
        }
    }

    private static func labels(_ text: String) -> [String: String] {
        var labels: [String: String] = [:]
        for match in text.matches(of: /([a-z]+)="([^"]*)"/) { labels[String(match.1)] = String(match.2) }
        return labels
    }
}
#endif
