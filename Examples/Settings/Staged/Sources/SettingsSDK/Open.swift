import Foundation
public import SettingsPorts

/// Opens settings that move from V1 to V2, stage by stage.
///
/// The sides' libraries are in the folder that `SETTINGS_SIDES` names, or beside the program. The upgrade's state is in
/// the folder that `SETTINGS_UPGRADE_STATE` names, or in `settings-upgrade` in the current folder.
///
/// - Throws: errors of reading the state. A side that does not match throws at the first call that needs it.
public func openSettings(_ store: any DocumentStore) async throws -> OpenedSettings {
    let environment = ProcessInfo.processInfo.environment
    let upgrade = try SettingsUpgrade(
        sides: SettingsSides(in: environment["SETTINGS_SIDES"] ?? SettingsSides.executableFolder, store: store),
        directory: environment["SETTINGS_UPGRADE_STATE"] ?? "settings-upgrade"
    )
    return await upgrade.open(for: "this installation")
}
