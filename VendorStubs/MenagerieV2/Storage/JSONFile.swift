#if Sandbox
import Foundation

/// A value in a file of the SDK's directory, `com.menagerie.NAME.v2.json`: replaced atomically, and readable by its
/// owner only.
struct JSONFile<Value: Codable & Sendable>: Sendable {
    let path: String
    private let directory: String

    init(_ name: String, in directory: String) {
        self.directory = directory
        path = directory + "/com.menagerie.\(name).v2.json"
    }

    /// Reads the value; nil if there is none.
    func load() throws(MenagerieError) -> Value? {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            return try JSONDecoder().decode(Value.self, from: data)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch let error as DecodingError {
            throw .storage(path: path, message: "unexpected content: \(error.location.message)")
        } catch {
            throw .storage(path: path, message: "cannot be read")
        }
    }

    func save(_ value: Value) throws(MenagerieError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // A file cannot be moved onto a directory: an empty one is removed, any other is an error below.
            _ = rmdir(path)
            try JSONEncoder().encode(value).write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw .storage(path: path, message: "cannot be written")
        }
    }

    /// Deletes the file, if there is one.
    func delete() throws(MenagerieError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            throw .storage(path: path, message: "cannot be deleted")
        }
    }
}
#endif
