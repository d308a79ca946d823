import CofferdamContracts
import Foundation
import SettingsContract
import SettingsPorts
import SettingsSDK

/// The folder with both sides' libraries.
let sidesFolder = ProcessInfo.processInfo.environment["SETTINGS_SIDES"] ?? SettingsSides.executableFolder

extension AdapterUnderTest<SettingsSubject> {
    static let v1 = live("v1") { try await $0.v1() }
    static let v2 = live("v2") { try await $0.v2() }

    static let fake = AdapterUnderTest(name: "fake", identity: AdapterIdentity(.fake)) {
        let fake = FakeSettings()
        return SettingsSubject(port: fake, documents: fake) { fake }
    }

    private static func live(
        _ name: String,
        _ open: @escaping @Sendable (SettingsSides) async throws -> any Settings
    ) -> AdapterUnderTest {
        AdapterUnderTest(name: name) {
            let documents = MemoryDocuments()
            let sides = SettingsSides(in: sidesFolder, store: documents)
            return SettingsSubject(port: try await open(sides), documents: documents) { try await open(sides) }
        }
    }
}
