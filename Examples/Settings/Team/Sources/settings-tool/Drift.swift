import Cofferdam
import CofferdamContracts
import CofferdamTool
import CofferdamUpgrade
import SettingsContract
import SettingsPorts
import SettingsSDK

/// Compares what the two decoders make of each sample, without the adapters' corrections. MIGRATION.md says what the
/// adapters do about the differences.
let settingsDrift = DriftTooling(known: knownDifferences) { _, progress in
    var report = DriftReport(legacy: "Yams 5.0.1", candidate: "Yams 6.2.2")
    let documents = MemoryDocuments()
    let sides = SettingsSides(in: sidesFolder, store: documents, reading: .vendorDefault)
    let (v1, v2) = (try await sides.v1(), try await sides.v2())
    for group in Samples.groups {
        var differences: [Difference] = []
        for (name, document) in group.samples {
            progress.show(name)
            await documents.put(document, as: "sample")
            let (old, new) = (try await answer(of: v1), try await answer(of: v2))
            if old != new {
                differences.append(Difference(subject: name, path: group.name, legacy: old, candidate: new))
            }
        }
        report.add(
            call: "profile",
            compared: group.samples.count,
            differences,
            knowing: knownDifferences.flatMap(\.drifts)
        )
    }
    return report
}

private func answer(of settings: any Settings) async throws -> String {
    do {
        return "\(try await settings.profile(named: "sample"))"
    } catch SettingsError.invalid(_, let reason) {
        return "refused: \(reason)"
    }
}

/// The differences, in MIGRATION.md's words.
private let knownDifferences = [
    known(
        "D1",
        "quoted texts",
        "an optional text in quotes that is empty or looks like nothing: Yams 5 takes it for nothing"
    ),
    known("D2", "quoted Booleans", "a Boolean in quotes: Yams 6 refuses it"),
    known("D3", "quoted numbers", "'null' in quotes for a number: Yams 5 takes it for nothing"),
    known("D4", "duplicates", "a key that is given twice: Yams 5 takes the last value"),
]

private func known(_ id: String, _ group: String, _ title: String) -> DriftKnowledge {
    DriftKnowledge(
        id: id,
        title: title,
        drifts: [KnownDrift(id: id, call: "profile", path: group, reason: title)]
    )
}
