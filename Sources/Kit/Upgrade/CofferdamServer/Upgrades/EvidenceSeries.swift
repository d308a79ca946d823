#if Server
import CofferdamUpgrade

/// How a gate's evidence grew in one epoch, for a chart: a point a minute at first, fewer in a longer epoch.
struct EvidenceSeries: Sendable, Hashable, Codable {
    /// The progress of a gate at one moment.
    struct Point: Sendable, Hashable, Codable {
        /// In milliseconds since 1970.
        var at: Int64
        /// The evidence of the weakest test for a promotion, as a part of what it must reach; nil without such a test.
        var promotion: Double?
        /// The evidence of the strongest test for a rollback, likewise.
        var rollback: Double?
        /// The units that the gate counts, for all operations together.
        var counts: FailureCounts
        /// The users whom V1 answers at a canary; nil at other stages, and in points of an earlier version.
        var legacy: FailureCounts?
    }

    /// The maximum number of points.
    static let maxPoints = 200
    /// The shortest time between two points, in milliseconds.
    static let shortest: Int64 = 60_000

    let epoch: Int
    /// Oldest first.
    private(set) var points: [Point] = []

    init(epoch: Int) { self.epoch = epoch }

    /// Adds a point, unless the last one is too near. If there would be too many points, the minimum spacing doubles
    /// until there are not, and points nearer to each other are dropped.
    ///
    /// - Returns: whether it was added.
    mutating func add(_ point: Point) -> Bool {
        // If the clock was set back, points ahead of it are dropped.
        points.removeAll { $0.at > point.at }
        guard let first = points.first, let last = points.last else {
            points = [point]
            return true
        }
        var spacing = Self.shortest
        while (point.at - first.at) / spacing >= Self.maxPoints - 1 { spacing *= 2 }
        guard point.at - last.at >= spacing else { return false }
        points = points.reduce(into: []) { kept, point in
            if let last = kept.last, point.at - last.at < spacing { return }
            kept.append(point)
        }
        points.append(point)
        return true
    }
}

extension Decision {
    /// The gate's progress, for a chart. Evidence is clamped to ten times its threshold.
    func point(at time: Int64) -> EvidenceSeries.Point {
        func parts(_ role: GateTest.Role) -> [Double] {
            tests.filter { $0.role == role && $0.threshold > 0 }.map {
                min(10, max(-10, $0.weakest / $0.threshold))
            }
        }
        return EvidenceSeries.Point(
            at: time,
            promotion: parts(.promote).min(),
            rollback: parts(.rollBack).max(),
            counts: reading.metrics[gate.countedMetric.includingOpenWindows] ?? .none,
            legacy: reading.stage.splitsUnits ? reading.legacyFailures(of: nil) : nil
        )
    }
}
#endif
