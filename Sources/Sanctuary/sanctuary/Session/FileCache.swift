import CofferdamStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the lists have shown, a file for each, in a folder that its user alone can read. A file is written whole or not at all.
struct FileCache: ModelCache {
    private let folder: URL

    /// - Parameter path: made when something is first kept.
    init(_ path: String) { folder = URL(filePath: path, directoryHint: .isDirectory) }

    func bytes(for key: String) async throws -> [UInt8]? {
        let file = file(key)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
        return [UInt8](try Data(contentsOf: file))
    }

    func set(_ bytes: [UInt8]?, for key: String) async throws {
        let file = file(key)
        guard let bytes else {
            if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
                try FileManager.default.removeItem(at: file)
            }
            return
        }
        try makeFolder()
        try Data(bytes).write(to: file, options: .atomic)
    }

    func removeAll() async throws {
        if FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)) {
            try FileManager.default.removeItem(at: folder)
        }
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    private func file(_ key: String) -> URL { folder.appending(path: key + ".json") }
}
