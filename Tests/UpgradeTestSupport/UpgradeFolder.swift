import Foundation
import TestSupport

#if SQLite
package import CofferdamUpgrade
#endif

/// A directory for one test's upgrades.
package struct UpgradeFolder: Sendable {
    package var path = FileManager.default.temporaryDirectory.appending(path: "upgrades-\(UUID())").path

    package init() {}

    package init(path: String) { self.path = path }

    package static func with(_ body: (UpgradeFolder) async throws -> Void) async throws {
        let folder = UpgradeFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(folder)) } catch { result = .failure(error) }
        removeFolder(folder.path)
        try result.get()
    }

    #if SQLite
    package func store() throws -> FileUpgradeStore { FileUpgradeStore(directory: path, now: { 9_000 }) }
    #endif

    package func write(_ text: String, to name: String) throws {
        let url = URL(filePath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    /// Copies an upgrade from another folder. No process has the copied files open.
    package func copy(_ name: String, from other: UpgradeFolder) throws {
        try FileManager.default.copyItem(atPath: other.path + "/" + name, toPath: path + "/" + name)
    }

    package func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }
    package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }
}
