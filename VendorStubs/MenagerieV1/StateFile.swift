#if Sandbox
import Foundation

/// One of the SDK's files in the state directory, `menagerie.NAME`: replaced atomically, and readable by its owner
/// only.
struct StateFile {
    let path: String

    init(_ name: String, in directory: String) { path = directory + "/menagerie." + name }

    /// Reads the file; nil if it does not exist.
    func read() throws(NSError) -> Data? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .menagerie(.storage, "The file \(path) cannot be read.")
        }
    }

    /// Writes the file; nil removes it, along with the remains of an interrupted write.
    func write(_ content: Data?) throws(NSError) {
        let fresh = path + ".new"
        do {
            guard let content else {
                for path in [path, fresh] where FileManager.default.fileExists(atPath: path) {
                    try FileManager.default.removeItem(atPath: path)
                }
                return
            }
            // A file cannot be moved onto a directory: an empty one is removed, any other is an error below.
            _ = rmdir(path)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: fresh, contents: content, attributes: attributes),
                rename(fresh, path) == 0
            else {
                _ = unlink(fresh)
                throw CocoaError(.fileWriteUnknown)
            }
        } catch {
            throw .menagerie(.storage, "The file \(path) cannot be written.")
        }
    }

    /// Reads a property list; nil if the file does not exist.
    func propertyList<Value: Decodable>(_ type: Value.Type = Value.self) throws(NSError) -> Value? {
        guard let content = try read() else { return nil }
        do {
            return try PropertyListDecoder().decode(Value.self, from: content)
        } catch {
            throw .menagerie(.storage, "The file \(path) is damaged.")
        }
    }

    /// Writes a property list.
    func write(propertyList value: some Encodable) throws(NSError) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let content: Data
        do {
            content = try encoder.encode(value)
        } catch {
            throw .menagerie(.storage, "The file \(path) cannot be written.")
        }
        try write(content)
    }
}
#endif
