#if SQLite
    import Foundation

    /// Where a cache's file is, and whose it is.
    struct CachePlace: Sendable {
        /// SQLite keeps its log beside the file, under these names. The file itself comes last: if the process ends between
        /// two, what is left of the file is found damaged once more.
        private static let suffixes = ["-wal", "-shm", ""]

        /// Nil in memory.
        let path: String?
        let user: String?

        var name: String { path ?? "in memory" }

        init(path: String?) {
            self.path = path
            user = nil
        }

        init(user: String, in directory: String) throws {
            self.path = URL(filePath: directory).appending(path: Self.fileName(of: user)).path
            self.user = user
            do {
                try FileManager.default.createDirectory(
                    atPath: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                throw CacheError(
                    .file,
                    subject: directory,
                    "the directory cannot be made: \(error.localizedDescription)"
                )
            }
        }

        /// Tells a file from another that takes its place; nil if there is none.
        var fileNumber: UInt64? {
            guard let path, let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
            return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        }

        /// Moves the file to the same name with `.damaged` behind it, in place of an earlier one.
        func moveAside() throws {
            guard let path else { return }
            try removeDamaged()
            try change { files in
                for suffix in Self.suffixes where files.fileExists(atPath: path + suffix) {
                    try files.moveItem(atPath: path + suffix, toPath: path + ".damaged" + suffix)
                }
            }
        }

        func removeDamaged() throws {
            guard let path else { return }
            try change { files in
                for suffix in Self.suffixes where files.fileExists(atPath: path + ".damaged" + suffix) {
                    try files.removeItem(atPath: path + ".damaged" + suffix)
                }
            }
        }

        private func change(_ body: (FileManager) throws -> Void) throws {
            do {
                try body(.default)
            } catch {
                let message = "a damaged file cannot be moved or removed: \(error.localizedDescription)"
                throw CacheError(.file, subject: name, message)
            }
        }

        /// A name that every file system takes, and that tells users apart where case does not count: small letters and
        /// digits as they are, other bytes as `_` and two digits. A long one ends with a digest instead; should another
        /// user's be the same, the file's own record of its user refuses it.
        static func fileName(of user: String) -> String {
            let bytes = user.precomposedStringWithCanonicalMapping.utf8
            let name = bytes.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    String(UnicodeScalar(byte))
                default: "_" + hexadecimal(byte, digits: 2)
                }
            }.joined()
            guard name.count > 120 else { return "user-\(name).sqlite" }
            return "user-\(name.prefix(80))-\(hexadecimal(digest(bytes), digits: 32)).sqlite"
        }

        private static func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: digits - text.count) + text
        }

        /// FNV-1a of 128 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
        private static func digest(_ bytes: some Sequence<UInt8>) -> UInt128 {
            bytes.reduce(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d) { hash, byte in
                (hash ^ UInt128(byte)) &* 0x0100_0000_0000_0000_0000_013B
            }
        }
    }
#endif
