import Cofferdam

/// The units that visited a side in an hour, and those of them that newly met something.
package struct VisitCounts: Sendable, Hashable, Codable {
    /// What a unit newly meets.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable { case failed, slow, gaveUp }

    /// The hour since 1970.
    package var hour: Int64
    /// By ``Metric/newly(_:on:)``, whose totals are without the units that met the same in their visit before, and by
    /// ``Metric/returning(on:)``.
    package var metrics: [Metric: FailureCounts]

    package init(hour: Int64, _ metrics: [Metric: FailureCounts]) { (self.hour, self.metrics) = (hour, metrics) }
}

extension [VisitCounts] {
    /// What speaks for units that get another name at each visit, so that one user counts many times; nil if nothing does.
    package var namedAnew: String? {
        func visits(on side: Side) -> FailureCounts {
            reduce(.none) { $0 + ($1.metrics[.returning(on: side)] ?? .none) }
        }
        let (here, there) = (visits(on: .candidate), visits(on: .legacy))
        guard here.total >= 1_000, let rate = here.rate else { return nil }
        let units = "of \(here.total) visits to V2, \(here.failures) were by users seen before"
        if let other = there.rate, there.failures >= 100, rate < other / 2 {
            return
                "\(units); of \(there.total) to V1, \(there.failures): is a user named anew at each visit?"
        }
        let hours = Set(map(\.hour))
        guard let first = hours.min(), let last = hours.max(), last - first >= 24, here.failures == 0 else {
            return nil
        }
        return units + " in \(last - first) hours: is a unit named anew at each visit?"
    }

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
