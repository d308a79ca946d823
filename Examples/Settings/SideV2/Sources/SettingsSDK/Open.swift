public import SettingsPorts

/// Opens the settings of this side.
public func openSettings(_ store: any DocumentStore) async throws -> OpenedSettings {
    OpenedSettings(settings: sideSettings(store, .corrected))
}

/// Returns the port only, with or without this adapter's corrections.
public func sideSettings(_ store: any DocumentStore, _ reading: SettingsReading) -> any Settings {
    YamsSettings(store: store, reading: reading)
}
