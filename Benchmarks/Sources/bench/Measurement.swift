/// One figure of a benchmark, as a ratio to a named base that ran in the same rounds.
struct Measurement: Codable {
    var name: String
    /// Our value: the median or the minimum of the samples.
    var value: Double
    var unit: String
    /// The name of the base.
    var base: String
    /// Our value divided by the base's.
    var ratio: Double
    var samples: Int
    /// The limit for our value, in the same unit.
    var limit: Double? = nil

    /// The statistic of several rounds.
    enum Statistic {
        /// The median, and the median of the rounds' own ratios.
        case median
        /// The shortest time of each, measured with the least interference.
        case minimum
    }

    /// Times `ours` and `base` alternately, so that other load on the machine affects both alike.
    static func interleaved(
        _ name: String,
        against base: String,
        rounds: Int,
        by statistic: Statistic = .median,
        ours: () throws -> Void,
        theirs: () throws -> Void
    ) throws -> Measurement {
        let clock = ContinuousClock()
        var samples: [(ours: Double, theirs: Double)] = []
        for round in 0...rounds {
            let first = try clock.measure(round.isMultiple(of: 2) ? ours : theirs).seconds
            let second = try clock.measure(round.isMultiple(of: 2) ? theirs : ours).seconds
            if round == 0 { continue }  // warms up
            samples.append(round.isMultiple(of: 2) ? (first, second) : (second, first))
        }
        let (value, ratio) =
            switch statistic {
            case .median: (median(samples.map(\.ours)), median(samples.map { $0.ours / $0.theirs }))
            case .minimum: (minimum(samples.map(\.ours)), minimum(samples.map(\.ours)) / minimum(samples.map(\.theirs)))
            }
        return Measurement(
            name: name,
            value: value * 1000,
            unit: "ms",
            base: base,
            ratio: ratio,
            samples: rounds
        )
    }

    static func minimum(_ values: [Double]) -> Double { values.min() ?? .nan }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
