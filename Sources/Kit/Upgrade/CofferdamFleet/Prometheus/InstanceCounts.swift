#if Fleet
import CofferdamUpgrade

/// The counters of all boots of all instances, by their verdicts.
struct InstanceCounts {
    struct Life: Hashable {
        var instance: String
        var boot: String

        init(_ labels: [String: String]) { (instance, boot) = (labels["instance"] ?? "", labels["boot"] ?? "") }
    }

    /// Why a sum is unknown.
    struct Gap: Error {
        var reason: String
    }

    /// The inner values are nil if they are not counts.
    private var counts: [String: [Life: Int?]] = [:]

    init(_ samples: [PrometheusClient.Sample]) {
        for sample in samples {
            let life = Life(sample.labels)
            let verdict = SeriesNames.verdict(sample.labels["verdict"] ?? "", of: sample.labels["operation"])
            let count = Self.count(sample.value)
            // A counter that was scraped twice is still one counter.
            if let other = counts[verdict]?[life] {
                counts[verdict]?[life] = .some(count.flatMap { count in other.map { max($0, count) } })
            } else {
                counts[verdict, default: [:]][life] = .some(count)
            }
        }
    }

    var verdicts: some Collection<String> { counts.keys }

    /// The instances that have such a counter.
    func instances(with verdict: String) -> Set<String> { Set((counts[verdict] ?? [:]).keys.map(\.instance)) }

    /// - Throws: `Gap` if a value is not a whole number.
    func lives(_ verdict: String) throws(Gap) -> [Life: Int] {
        var lives: [Life: Int] = [:]
        for (life, count) in counts[verdict] ?? [:] {
            guard let count else { throw Gap(reason: "\(verdict) of \(life.instance) is not a whole number") }
            lives[life] = count
        }
        return lives
    }

    /// The sum over all lives, including those of instances that are no longer expected.
    ///
    /// - Throws: `Gap` if a value is not a whole number, or the sum overflows.
    func sum(_ verdict: String) throws(Gap) -> Int {
        var sum = 0
        for count in try lives(verdict).values {
            let (next, isTooLarge) = sum.addingReportingOverflow(count)
            guard !isTooLarge else { throw Gap(reason: "\(verdict) is too large") }
            sum = next
        }
        return sum
    }

    /// Prometheus counts in floating point, which cannot represent every whole number above 2⁵³.
    private static func count(_ text: String) -> Int? {
        guard let value = Double(text), (0...9_007_199_254_740_992).contains(value) else { return nil }
        return Int(exactly: value)
    }
}
#endif
