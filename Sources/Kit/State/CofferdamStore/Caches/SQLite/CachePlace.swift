#if SQLite
import Cofferdam
import CofferdamSupport
import Foundation

/// Where a cache's file is, and whose it is.
struct CachePlace: Sendable {
    /// The paths of files that were to be removed and could not be: nothing in this process reads them.
    private static let pendingRemovals = Mutex<Set<String>>([])

    /// Nil in memory.
    let path: String?
    let user: String?
    /// Created if it is missing.
    private let userDirectory: String?

    var name: String { path ?? "in memory" }

    init(path: String?) {
        self.path = path.map(SymbolicLink.target)
        user = nil
        userDirectory = nil
    }

    init(user: String, in directory: String) {
        path = URL(filePath: directory).appending(path: Self.fileName(of: user)).path
        self.user = user
        userDirectory = directory
    }

    // MARK: Opening

    /// Runs `body` while no other cache's file in the directory is opened, moved or removed, in any process that uses this
    /// kit. What is at the path then stays there meanwhile.
    ///
    /// - Throws: ``CacheError/Code/busy``; what `body` throws.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        guard let path else { return try body() }
        let directory = URL(filePath: path).deletingLastPathComponent().path
        do {
            return try DirectoryLock(path: directory).withLock(body)
        } catch is DirectoryLock.Busy {
            throw CacheError(.busy, subject: path, "another process keeps the directory locked")
        } catch let error as RemovalFailure {
            throw CacheError(.file, subject: path, "\(error)")
        }
    }

    func makeDirectory() throws {
        guard let userDirectory else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: userDirectory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CacheError(
                .file,
                subject: userDirectory,
                "the directory cannot be created: \(error.localizedDescription)"
            )
        }
    }

    // MARK: Damage

    /// Moves the file to the same name with `.damaged` appended, replacing an earlier one.
    func moveAside() throws {
        guard let path else { return }
        try withLock {
            try removeDamaged()
            try change { files in
                // The file itself comes last: if the process ends between two, what is left of it is found damaged
                // again.
                for suffix in DatabaseFiles.suffixes.reversed() where files.fileExists(atPath: path + suffix) {
                    try files.moveItem(atPath: path + suffix, toPath: path + ".damaged" + suffix)
                }
            }
        }
    }

    func removeDamaged() throws {
        guard let path else { return }
        try change { files in
            for suffix in DatabaseFiles.suffixes where files.fileExists(atPath: path + ".damaged" + suffix) {
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

    // MARK: Removal

    /// Removes the file, what SQLite keeps beside it and a damaged file that was moved aside, or truncates what
    /// cannot be removed. It needs no disk space. The file must not be open here.
    ///
    /// - Throws: ``CacheError/Code/notRemoved``.
    func removeAll() throws {
        guard let path else { return }
        do {
            // The file itself goes first: without it, nothing beside it is ever read.
            let files = [path, path + ".damaged"].flatMap { file in DatabaseFiles.suffixes.map { file + $0 } }
            try withLock { try DatabaseFiles.remove(files) }
        } catch {
            Self.pendingRemovals.withLock { _ = $0.insert(path) }
            throw CacheError(
                .notRemoved,
                subject: name,
                "the entries to remove are still on the disk, and the next process could read them: \(error)"
            )
        }
        Self.pendingRemovals.withLock { _ = $0.remove(path) }
    }

    /// Call it before anything is read: what is to be removed must not be shown.
    ///
    /// - Throws: ``CacheError/Code/notRemoved``.
    func finishRemoval() throws {
        guard let path, Self.pendingRemovals.withLock({ $0.contains(path) }) else { return }
        try removeAll()
    }

    /// A name that every file system accepts, and that distinguishes users even where case does not count:
    /// lower-case letters and digits as they are, other bytes as `_` and two hexadecimal digits. A long name ends
    /// with a digest instead; if another user's name is the same, the file's own record of its user refuses it.
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
