#if Sandbox
import CofferdamStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cache of the lists shown, one file each, in a folder that only the user can read. Files are written atomically.
///
/// All services and languages share one session, and each has its own folder: forgetting applies to all of them.
struct FileCache: ModelCache {
    private let folders: String
    private let folder: String

    /// - Parameters:
    ///   - folders: created when something is first stored.
    ///   - name: the folder that is read and written.
    init(_ folders: String, name: String) {
        self.folders = folders
        folder = folders + "/" + name
    }

    func bytes(for key: String) async throws -> [UInt8]? {
        let path = Self.path(key, in: folder)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // Stored values are never empty: an empty file was truncated.
        return bytes.isEmpty ? nil : bytes
    }

    func set(_ bytes: [UInt8]?, for key: String) async throws {
        guard let bytes else { return try remove { $0 == key + Self.suffix } }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try Data(bytes).write(to: URL(filePath: Self.path(key, in: folder)), options: .atomic)
    }

    func removeAll() async throws { try remove { _ in true } }

    /// Removes files, or truncates those that cannot be removed; neither needs disk space.
    private func remove(_ shouldRemove: (String) -> Bool) throws {
        var stuck: String?
        for folder in try Self.names(in: folders).map({ folders + "/" + $0 }) {
            for path in try Self.names(in: folder).filter(shouldRemove).map({ folder + "/" + $0 })
            where unlink(path) != 0 && errno != ENOENT && truncate(path, 0) != 0 {
                stuck = stuck ?? path
            }
        }
        if let stuck { throw Failure(.cannotWrite, "cannot remove \(stuck)") }
    }

    /// Returns the names in a folder; none if it does not exist or is not a folder.
    private static func names(in folder: String) throws -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private static let suffix = ".json"
    private static func path(_ key: String, in folder: String) -> String { folder + "/" + key + suffix }
}
#endif
