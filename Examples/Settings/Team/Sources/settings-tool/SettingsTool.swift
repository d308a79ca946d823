import CofferdamContracts
import CofferdamSides
import CofferdamTool
import CofferdamUpgrade
import Foundation
import SettingsContract
import SettingsPorts
import SettingsSDK

/// The team's tool: the contract over both sides and the fake, the differences between the two Yams, and the upgrade.
@main enum SettingsTool: TeamTool {
    static let name = "settings-tool"

    static func tooling() throws -> Tooling {
        try checkDigest()
        return Tooling(
            rules: SettingsContract.rules,
            adapters: [
                .v1.identified(as: AdapterIdentity(version: "1", sdk: "Yams 5.0.1")),
                .v2.identified(as: AdapterIdentity(version: "1", sdk: "Yams 6.2.2")),
                .fake.identified(as: AdapterIdentity(.fake, version: "1", sdk: "none")),
            ],
            mutants: SettingsContract.mutants,
            fixtures: .text(Samples.all.map { "\($0.name): \($0.document.text)" }.joined(separator: "\n")),
            upgrade: UpgradePath(from: "v1", to: "v2"),
            scenarios: settingsScenarios(),
            drift: settingsDrift,
            upgrades: UpgradeTooling([.init(SettingsUpgrade.capability, plan: try SettingsUpgrade.plan())])
        )
    }

    /// A side that was built with other ports must not be opened, so their digest must change with them.
    private static func checkDigest() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Ports/Sources/SettingsPorts").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let texts = try files.filter { $0.lastPathComponent != "Digest.swift" }
            .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
        let digest = PortsDigest.of(sources: Dictionary(uniqueKeysWithValues: texts))
        if digest != settingsPortsDigest { throw StaleDigest(digest: digest) }
    }

    private struct StaleDigest: Error, CustomStringConvertible {
        var digest: String
        var description: String { "the ports have changed: write \"\(digest)\" into their Digest.swift" }
    }
}
