import SettingsPorts
internal import Yams

/// The settings on Yams 6.
struct YamsSettings: Settings {
    let store: any DocumentStore
    let reading: SettingsReading

    func profile(named name: String) async throws -> Profile {
        guard let text = try await store.text(of: name) else { throw SettingsError.missing(name: name) }
        do {
            return try ProfileDocument(text, reading).profile
        } catch let reason as InvalidDocument {
            throw SettingsError.invalid(name: name, reason: reason)
        }
    }

    func save(_ profile: Profile, as name: String) async throws {
        // Yams writes this key without quotes, and then reads it as a merge.
        if profile.shortcuts["<<"] != nil { throw SettingsError.cannotSave(key: "<<") }
        let encoder = YAMLEncoder()
        encoder.options.allowUnicode = true
        try await store.put(encoder.encode(ProfileDocument(profile)), as: name)
    }

    func remove(_ name: String) async throws { try await store.put(nil, as: name) }

    func names(after cursor: String?, limit: Int) async throws -> NamePage {
        try NamePage(of: try await store.names(), after: cursor, limit: limit)
    }
}
