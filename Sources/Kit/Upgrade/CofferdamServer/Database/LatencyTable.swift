#if Server
import Cofferdam
import CofferdamUpgrade
import Foundation
import GRDB

/// The histograms of devices, and their sum. If there are more devices than may be kept, those with the smallest
/// numbers are kept. Numbers are random, so these devices are a random sample, and the same one in whatever order
/// the reports arrive.
struct LatencyTable {
    /// Histograms by side and by the place of an operation.
    struct Histograms: Codable {
        struct Line: Codable {
            var side: Side
            var operation: Int
            var counts: LatencyHistogram
        }

        var lines: [Line] = []

        private mutating func change(
            _ side: Side,
            _ operation: Int,
            _ change: (inout LatencyHistogram) -> Void
        ) {
            let known = lines.firstIndex { $0.side == side && $0.operation == operation }
            let place = known ?? lines.count
            if known == nil { lines.append(Line(side: side, operation: operation, counts: LatencyHistogram())) }
            change(&lines[place].counts)
        }

        /// Adds the other histograms; subtracts them if `sign` is −1.
        mutating func add(_ other: Histograms, sign: Int = 1) {
            for line in other.lines { change(line.side, line.operation) { $0.add(line.counts, sign: sign) } }
        }

        /// Keeps the greater count of each bucket: a device's counts only grow.
        mutating func raise(_ side: Side, _ operation: Int, to buckets: [[Int64]]) {
            change(side, operation) { histogram in
                for bucket in buckets where bucket.count == 2 {
                    histogram.raise(to: Int(clamping: bucket[1]), of: bucket[0])
                }
            }
        }

        var bucketCount: Int { lines.reduce(0) { $0 + $1.counts.buckets.count } }
    }

    /// The sum, and the number of devices in it.
    struct Totals: Codable {
        var devices = 0
        var histograms = Histograms()
    }

    private let key: Data
    private let database: Database

    init(_ key: Data, _ database: Database) { (self.key, self.database) = (key, database) }

    /// - Parameter place: the place of an operation; nil if there are too many operations.
    func save(
        _ reports: [EvidenceReport],
        _ limits: DeviceLimits,
        place: (String) -> Int?
    ) throws {
        var totals = try totals()
        for report in reports {
            guard let latencies = report.latencies, !latencies.isEmpty,
                let number = report.device.flatMap({ UInt64($0, radix: 16) })
            else { continue }
            let device = Int64(bitPattern: number)
            let known = try histograms(of: device)
            guard try known != nil || makeRoom(for: device, &totals, limits) else { continue }
            var new = known ?? Histograms()
            for latency in latencies {
                guard let place = place(latency.operation) else { continue }
                var next = new
                next.raise(latency.side, place, to: latency.buckets)
                if next.bucketCount <= limits.maxBuckets { new = next }
            }
            try write(new, of: device)
            if let known { totals.histograms.add(known, sign: -1) } else { totals.devices += 1 }
            totals.histograms.add(new)
        }
        try database.execute(
            sql: "UPDATE deviceCount SET latencies = ? WHERE capability = ?",
            arguments: [try JSONEncoder.ofUpgrades(isForPeople: false).encode(totals), key]
        )
    }

    /// The percentiles of both sides: for all operations together, and for each one.
    func percentiles(_ name: (Int) -> String) throws -> [LatencyTotals] {
        let lines = try totals().histograms.lines
        return Side.allCases.flatMap { side -> [LatencyTotals] in
            let ofSide = lines.filter { $0.side == side }
            let all = ofSide.reduce(into: LatencyHistogram()) { $0.add($1.counts) }
            return [LatencyTotals(operation: nil, side: side, all)].compactMap(\.self)
                + ofSide.compactMap { LatencyTotals(operation: name($0.operation), side: side, $0.counts) }
                .sorted { ($0.operation ?? "") < ($1.operation ?? "") }
        }
    }

    // MARK: Rows

    private func totals() throws -> Totals {
        try Data.fetchOne(
            database,
            sql: "SELECT latencies FROM deviceCount WHERE capability = ? AND latencies IS NOT NULL",
            arguments: [key]
        )
        .map { try JSONDecoder.ofUpgrades.decode(Totals.self, from: $0) } ?? Totals()
    }

    private func histograms(of device: Int64) throws -> Histograms? {
        try Data.fetchOne(
            try database.cachedStatement(
                sql: "SELECT bytes FROM deviceLatency WHERE capability = ? AND device = ?"
            ),
            arguments: [key, device]
        )
        .map { try JSONDecoder.ofUpgrades.decode(Histograms.self, from: $0) }
    }

    private func write(_ histograms: Histograms, of device: Int64) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO deviceLatency (capability, device, bytes) VALUES (?, ?, ?)"
        )
        .execute(arguments: [key, device, try JSONEncoder.ofUpgrades(isForPeople: false).encode(histograms)])
    }

    /// If there are too many devices, removes the one with the greatest number.
    ///
    /// - Returns: false if there is no room, because the new device has the greatest number.
    private func makeRoom(for device: Int64, _ totals: inout Totals, _ limits: DeviceLimits) throws -> Bool {
        guard totals.devices >= limits.maxTimedDevices else { return true }
        let last = try Int64.fetchOne(
            try database.cachedStatement(sql: "SELECT max(device) FROM deviceLatency WHERE capability = ?"),
            arguments: [key]
        )
        guard let last, device < last, let leaving = try histograms(of: last) else { return false }
        totals.histograms.add(leaving, sign: -1)
        totals.devices -= 1
        try database.execute(
            sql: "DELETE FROM deviceLatency WHERE capability = ? AND device = ?",
            arguments: [key, last]
        )
        return true
    }
}
#endif
