#if Sandbox
import Foundation
import SanctuaryDomain

/// Small files in a state directory.
///
/// A file that exists but cannot be read or decoded is an error that names it, and is never treated as missing.
struct StoredFiles: Sendable {
    let directory: String

    func path(_ name: String) -> String { directory + "/" + name }

    func json<Value: Decodable>(_ name: String) throws(SanctuaryError) -> Value? {
        try read(name) { try JSONDecoder().decode($0, from: $1) }
    }

    func propertyList<Value: Decodable>(_ name: String) throws(SanctuaryError) -> Value? {
        try read(name) { try PropertyListDecoder().decode($0, from: $1) }
    }

    /// - Parameter value: the value to write; nil removes the file.
    func put(json value: (some Encodable)?, _ name: String) throws(SanctuaryError) {
        try write(name) { try value.map { try JSONEncoder().encode($0) } }
    }

    func put(propertyList value: (some Encodable)?, _ name: String) throws(SanctuaryError) {
        try write(name) {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try value.map { try encoder.encode($0) }
        }
    }

    /// Reads a file; nil if it does not exist.
    ///
    /// - Throws: `unknown` if it cannot be read, `decoding` if it is damaged.
    private func read<Value: Decodable>(
        _ name: String,
        _ decode: (Value.Type, Data) throws -> Value
    ) throws(SanctuaryError) -> Value? {
        do {
            return try decode(Value.self, Data(contentsOf: URL(fileURLWithPath: path(name))))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch is DecodingError {
            throw SanctuaryError(.decoding, "the stored data is damaged", subject: path(name))
        } catch {
            throw SanctuaryError(.unknown, "the stored data cannot be read", subject: path(name))
        }
    }

    /// Writes the file atomically, readable by the user alone.
    private func write(_ name: String, _ encode: () throws -> Data?) throws(SanctuaryError) {
        do {
            if let content = try encode() {
                try content.write(to: URL(fileURLWithPath: path(name)), options: .atomic)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
            } else if FileManager.default.fileExists(atPath: path(name)) {
                try FileManager.default.removeItem(atPath: path(name))
            }
        } catch {
            throw SanctuaryError(.unknown, "the data cannot be stored", subject: path(name))
        }
    }
}
#endif
