import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite struct EvidenceLogTests {
    @Test func `a log in memory keeps the contract`() async throws {
        try await EvidenceLogContract { MemoryEvidenceLog(keeping: $0) }.holds()
    }

    #if SQLite
    @Test func `a log on disk keeps the contract`() async throws {
        try await UpgradeFolder.with { folder in
            try await EvidenceLogContract {
                try SQLiteUpgradeLog(path: folder.path + "/\($0).sqlite", keptSnapshots: $0)
            }.holds()
        }
    }

    @Test func `snapshots of an earlier process are bounded too`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/log.sqlite"
            let first = try SQLiteUpgradeLog(path: path)
            for place in 0..<5 { try await first.append(EvidenceLogContract.snapshot(place)) }
            let second = try SQLiteUpgradeLog(path: path, keptSnapshots: 2)
            try await second.append(EvidenceLogContract.snapshot(5))
            #expect(try await second.snapshots(of: "a", epoch: nil, last: .max).map(\.at) == [4, 5])
        }
    }
    #endif
}

/// The behaviour that all evidence logs share.
private struct EvidenceLogContract {
    /// - Parameter kept: how many snapshots the log keeps of each capability.
    let make: (_ kept: Int) throws -> any EvidenceLog

    static func snapshot(_ place: Int, of capability: String = "a", epoch: Int = 1) -> EvidenceSnapshot {
        EvidenceSnapshot(
            capability: capability,
            at: Int64(place),
            reading: Readings.good(at: .shadow(sample: .all)) { $0.epoch = epoch },
            outcomes: OutcomeCounts([.match: place])
        )
    }

    func holds() async throws {
        try await theyComeBackInTheirOrder()
        try await onlyTheNewestAreGiven()
        try await onlyTheNewestAreKept()
    }

    private func theyComeBackInTheirOrder() async throws {
        let log = try make(10)
        let snapshots = [1, 1, 2].enumerated().map { Self.snapshot($0, epoch: $1) }
        for snapshot in snapshots { try await log.append(snapshot) }
        #expect(try await log.snapshots(of: "a", epoch: nil, last: 10) == snapshots)
        #expect(try await log.snapshots(of: "a", epoch: 1, last: 10) == Array(snapshots.prefix(2)))
        #expect(try await log.snapshots(of: "a", epoch: 3, last: 10) == [])
        #expect(try await log.snapshots(of: "b", epoch: nil, last: 10) == [])
    }

    private func onlyTheNewestAreGiven() async throws {
        let log = try make(11)
        for place in 0..<6 { try await log.append(Self.snapshot(place, epoch: place < 4 ? 1 : 2)) }
        for (epoch, count, places) in [
            (Int?.none, 2, [4, 5] as [Int64]), (nil, .max, [0, 1, 2, 3, 4, 5]), (1, 2, [2, 3]), (2, 1, [5]), (1, 0, []),
            (1, -1, []),
        ] {
            let found = try await log.snapshots(of: "a", epoch: epoch, last: count)
            #expect(found.map(\.at) == places, "\(count) of epoch \(epoch.map(String.init) ?? "any")")
        }
    }

    private func onlyTheNewestAreKept() async throws {
        for kept in [-1, 1, 3] {
            let log = try make(kept)
            for place in 0..<8 {
                try await log.append(Self.snapshot(place))
                try await log.append(Self.snapshot(place, of: "b", epoch: 2))
            }
            try await log.append(Self.snapshot(8))
            let places = try await log.snapshots(of: "a", epoch: nil, last: .max).map(\.at)
            #expect(places == Array((9 - Int64(max(1, kept)))...8))
            let others = try await log.snapshots(of: "b", epoch: 2, last: .max).map(\.at)
            #expect(others == Array((8 - Int64(max(1, kept)))...7), "each capability has its own")
        }
    }
}
