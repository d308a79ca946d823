import Foundation

#if SQLite
/// The folder with the files of one capability.
struct CapabilityFolder: Sendable {
    let path: String

    init(of capability: String, in directory: String) {
        path = directory + "/" + FileName.name(of: capability)
    }

    var state: DurableFile { DurableFile(path: path + "/state.json") }
    var kill: DurableFile { DurableFile(path: path + "/kill.json") }
    var lock: FileLock { FileLock(path: path + "/lock") }

    /// - Throws: ``UpgradeStoreError`` with `unavailable`.
    func make() throws { try Self.make(path) }

    /// Creates a directory that only this account can read.
    static func make(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw UpgradeStoreError(
                .unavailable,
                "the directory cannot be made: \(error.localizedDescription)",
                subject: path
            )
        }
    }
}
#endif

/// The names of files and folders of a capability.
enum FileName {
    /// A name that is valid on every file system and unique even without case: lower-case letters, digits
    /// and inner hyphens stay, other bytes become `_` and two digits. A long name ends with a digest; on a
    /// collision, the file is refused because its state names another capability.
    static func name(of capability: String) -> String {
        let bytes = Array(capability.precomposedStringWithCanonicalMapping.utf8)
        guard !bytes.isEmpty else { return "_" }
        let name = bytes.enumerated().map { place, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: "-") where place > 0: "-"
            default: "_" + byte.hexadecimal
            }
        }.joined()
        guard name.utf8.count > 120 else { return name }
        let digest = (0..<4).map { Murmur3.hash(bytes, seed: $0).hexadecimal }.joined()
        return "\(name.prefix(80))_-\(digest)"
    }
}
