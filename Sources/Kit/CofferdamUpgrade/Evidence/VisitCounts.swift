import Cofferdam

/// The units that visited a side in an hour, and those of them that newly met something.
package struct VisitCounts: Sendable, Hashable, Codable {
    /// What a unit newly meets.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable { case failed, slow, gaveUp }

    /// The hour since 1970.
    package var hour: Int64
    /// By ``Metric/newly(_:on:)``. The total of each is without the units that met the same in their visit before.
    package var metrics: [Metric: FailureCounts]

    package init(hour: Int64, _ metrics: [Metric: FailureCounts]) { (self.hour, self.metrics) = (hour, metrics) }
}

extension [VisitCounts] {
    /// The hours of the day in which units visited the candidate: "21 to 8 h" is from 21:00 to 8:00. Nil if they did
    /// all day, or never: a fault of the evening is not seen in the morning.
    package var partOfDay: String? {
        let visited = filter { $0.metrics[.newly(.failed, on: .candidate)]?.total ?? 0 > 0 }
        let seen = Set(visited.map { Int($0.hour % 24) })
        guard !seen.isEmpty, seen.count < 24 else { return nil }
        let beginnings = seen.filter { !seen.contains(($0 + 23) % 24) }.sorted()
        return beginnings.map { first in
            let length = (1...24).first { !seen.contains((first + $0) % 24) } ?? 24
            return "\(first) to \((first + length) % 24) h"
        }
        .joined(separator: ", ")
    }
}
