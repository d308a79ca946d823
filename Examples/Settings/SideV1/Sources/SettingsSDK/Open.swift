public import SettingsPorts

/// Makes the settings of this side.
public func openSettings(_ store: any DocumentStore) async throws -> OpenedSettings {
    OpenedSettings(settings: sideSettings(store, .asPromised))
}

/// Makes the port alone, also one with nothing mended.
public func sideSettings(_ store: any DocumentStore, _ reading: SettingsReading) -> any Settings {
    YamsSettings(store: store, reading: reading)
}
