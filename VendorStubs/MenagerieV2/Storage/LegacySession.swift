#if Sandbox
import Foundation

/// The session that SDK 1.9 left in the directory.
struct LegacySession: Decodable, Sendable {
    var format: String
    var token: String

    static func path(in directory: String) -> String { directory + "/menagerie.session" }

    /// Reads the session; nil if there is none.
    @concurrent static func load(from directory: String) async -> LegacySession? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path(in: directory))) else { return nil }
        return try? PropertyListDecoder().decode(LegacySession.self, from: data)
    }

    @concurrent static func delete(from directory: String) async {
        try? FileManager.default.removeItem(atPath: path(in: directory))
    }
}
#endif
