public import Cofferdam  // a table has the kit's operations
public import SettingsPorts

/// The table of ``Settings``: each method once, with its effect.
public enum SettingsOperations {
    public static let profile = PortOperation<any Settings, String, Profile>("profile", .read) {
        try await $0.profile(named: $1)
    }
    .spoiled { $0.title += "." }

    public static let save = PortOperation<any Settings, (profile: Profile, name: String), Void>("save", .idempotent) {
        try await $0.save($1.profile, as: $1.name)
    }

    public static let remove = PortOperation<any Settings, String, Void>("remove", .idempotent) {
        try await $0.remove($1)
    }

    /// The cursors are the port's own, so a page may come from either side.
    public static let names = PortOperation<any Settings, (cursor: String?, limit: Int), NamePage>("names", .read) {
        try await $0.names(after: $1.cursor, limit: $1.limit)
    }
    .spoiled { $0.names = $0.names.dropLast() }
}

extension Intercepted: @retroactive Settings where Port == any Settings {
    public func profile(named name: String) async throws -> Profile {
        try await call(SettingsOperations.profile, name) { try await $0.profile(named: $1) }
    }

    public func save(_ profile: Profile, as name: String) async throws {
        try await call(SettingsOperations.save, (profile, name)) { try await $0.save($1.profile, as: $1.name) }
    }

    public func remove(_ name: String) async throws {
        try await call(SettingsOperations.remove, name) { try await $0.remove($1) }
    }

    public func names(after cursor: String?, limit: Int) async throws -> NamePage {
        try await call(SettingsOperations.names, (cursor, limit)) {
            try await $0.names(after: $1.cursor, limit: $1.limit)
        }
    }
}
