import Foundation
import SettingsPorts

/// A folder of YAML files, each named after its profile.
struct DocumentFolder: DocumentStore {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func text(of name: String) throws -> String? {
        let file = try file(of: name)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
        return try String(contentsOf: file, encoding: .utf8)
    }

    func put(_ text: String?, as name: String) throws {
        let file = try file(of: name)
        if let text {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
            try FileManager.default.removeItem(at: file)
        }
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yml" }.map { $0.deletingPathExtension().lastPathComponent }
    }

    private func file(of name: String) throws -> URL {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else { throw BadName(name: name) }
        return folder.appending(path: "\(name).yml")
    }

    struct BadName: Error, CustomStringConvertible {
        var name: String
        var description: String { "'\(name)' cannot be a profile's name" }
    }
}
