/// How a gate's evidence grew in one epoch, for a chart: a point a minute at first, fewer in a longer epoch.
package struct EvidenceSeries: Sendable, Hashable, Codable {
    /// The progress of a gate at one moment.
    package struct Point: Sendable, Hashable, Codable {
        /// In milliseconds since 1970.
        package var at: Int64
        /// The evidence of the weakest test for a promotion, as a part of what it must reach; nil without such a test.
        package var promotion: Double?
        /// The evidence of the strongest test for a rollback, likewise.
        package var rollback: Double?
        /// The units that the gate counts, for all operations together.
        package var counts: FailureCounts

        package init(at: Int64, promotion: Double?, rollback: Double?, counts: FailureCounts) {
            (self.at, self.promotion, self.rollback, self.counts) = (at, promotion, rollback, counts)
        }
    }

    /// The maximum number of points.
    package static let maxPoints = 200
    /// The shortest time between two points, in milliseconds.
    package static let shortest: Int64 = 60_000

    package let epoch: Int
    /// Oldest first.
    package private(set) var points: [Point] = []

    package init(epoch: Int) { self.epoch = epoch }

    /// Adds a point, unless the last one is too near. If there would be too many points, the minimum spacing doubles
    /// until there are not, and points nearer to each other are dropped.
    ///
    /// - Returns: whether it was added.
    package mutating func add(_ point: Point) -> Bool {
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
