#if SQLite
import Cofferdam
import CofferdamUpgrade
import Foundation
import TestSupport
import Testing

@testable import CofferdamTool

/// Checks the first step, which a person takes in a process without evidence of its own.
struct UpgradeBaselineTests {
    private let capability = UpgradeTooling.Capability("catalogue", plan: UpgradeBench.plan)

    private func withDirectory(_ body: (UpgradeStorage, FileUpgradeStore) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "baseline-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { removeFolder(path) }
        try await body(
            try await UpgradeStorage.inDirectory(path, mayCreate: true),
            FileUpgradeStore(directory: path)
        )
    }

    /// Saves evidence as the app does: units of the legacy side, each with one call.
    private func watch(_ units: Int, in store: FileUpgradeStore) async throws {
        let recorder = EvidenceRecorder()
        try await recorder.resume(from: store.log, at: UpgradeState(capability: capability.name, since: 0))
        for number in 0..<units {
            recorder.called(
                RoutedCall(
                    capability: capability.name,
                    operation: "list",
                    effect: .read,
                    stage: .legacyOnly,
                    epoch: 0,
                    unit: "unit \(number)",
                    side: .legacy,
                    role: .first,
                    outcome: number % 1_000 == 0 ? .failed(.failed, kind: "broken") : .answered,
                    duration: .milliseconds(20)
                )
            )
        }
        try await recorder.merge(into: store.log, of: capability.name)
    }

    private func advance(_ storage: UpgradeStorage) async throws -> ChangeReport {
        let controls = StoreControls(storage: storage, environment: UpgradeBench().environment)
        return try await controls.change([capability], .certain(.advance()), by: "amara", reason: "it begins")
    }

    @Test func `The first step freezes what the legacy side did into the state`() async throws {
        try await withDirectory { storage, store in
            try await watch(10_000, in: store)
            #expect(try await advance(storage).changes.map(\.after.stage) == [.shadow(sample: .all)])
            let baseline = try #require(try await store.read(capability.name)?.state.baseline)
            #expect(baseline.units == FailureCounts(10, of: 10_000))
            #expect(baseline.operations["list"]?.slowNanoseconds == LatencyHistogram.rounded(20_000_000) * 3 / 2)
            // The log contains it too, and a later step does not change it.
            let entry = try await store.history(of: capability.name, last: 1).first
            #expect(entry?.request.baseline == baseline)
        }
    }

    @Test func `Too few watched calls give no baseline, and the step is refused`() async throws {
        try await withDirectory { storage, store in
            try await watch(9_999, in: store)
            let report = try await advance(storage)
            #expect(report.changes == [])
            #expect(report.refused.map(\.rule) == ["noBaseline"])
            #expect(report.refused.first?.message.contains("at least 10000 of its calls") == true)
            #expect(try await store.read(capability.name) == nil)
        }
    }
}
#endif
