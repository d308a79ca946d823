#if Curl
import Cofferdam
import CofferdamSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file beside the destination, which it replaces once complete.
///
/// It is temporary and removed if dropped before that, or the part of a download that can be continued, which stays.
/// A part has a fixed name and a lock, so a second download to the same destination uses a temporary file.
struct DownloadFile: ~Copyable {
    /// The folder's descriptor: with it, a name may be longer than a path would allow.
    private let folder: Int32
    private let name: String
    private let temporaryName: String
    private let descriptor: Int32
    private var isComplete = false
    /// Whether it is a part, which stays if it is dropped.
    private(set) var isKept = false
    /// The bytes written so far.
    private(set) var size = 0
    /// What the part is a part of. Its note is kept up to date.
    private var progress: DownloadProgress?
    /// The bytes for which the note does not vouch yet.
    private var unsynced = 0
    private static let maximumUnsynced = 16 << 20

    /// A temporary file.
    ///
    /// - Throws: `file` when the folder cannot be written to.
    init(for path: String) throws(CurlError) {
        (folder, name) = Self.openFolder(of: path)
        // Of a fixed length, because the destination's name may have the maximum length.
        temporaryName = ".\(String(UInt64.random(in: .min ... .max), radix: 36))"
        var error = folder < 0 ? errno : Self.obstacle(to: name, in: folder)
        if error == nil {
            descriptor = openat(folder, temporaryName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor < 0 { error = errno }
        } else {
            descriptor = -1
        }
        if let error { throw Self.failure("made", error) }
    }

    private init(_ folder: Int32, _ name: String, part: String, _ descriptor: Int32, size: Int) {
        (self.folder, self.name, temporaryName, self.descriptor) = (folder, name, part, descriptor)
        (self.size, isKept) = (size, true)
    }

    /// The part of a download; nil if there is none, another download holds it, or it cannot be used.
    ///
    /// - Parameter creates: whether to make a part if there is none.
    static func part(for path: String, creates: Bool) -> DownloadFile? {
        let (folder, name) = openFolder(of: path)
        guard folder >= 0 else { return nil }
        let part = ".\(String(StableHash.of(name), radix: 36)).part"
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creates ? O_CREAT : 0)
        let descriptor = obstacle(to: name, in: folder) == nil ? openat(folder, part, flags, 0o666) : -1
        guard descriptor >= 0, let size = lock(descriptor, named: part, in: folder) else {
            if descriptor >= 0 { close(descriptor) }
            close(folder)
            return nil
        }
        return DownloadFile(folder, name, part: part, descriptor, size: size)
    }

    private static func openFolder(of path: String) -> (descriptor: Int32, name: String) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return (open(slash == path.startIndex ? "." : String(path[..<slash]), folderFlags), String(path[slash...]))
    }

    /// Flags to look names up in the folder, not to list them, which may be forbidden.
    private static var folderFlags: Int32 {
        #if canImport(Darwin)
        O_SEARCH | O_CLOEXEC
        #else
        // O_PATH, which Swift's C library overlay does not have.
        0o10_000_000 | O_DIRECTORY | O_CLOEXEC
        #endif
    }

    /// Returns the error that would prevent the replacement.
    private static func obstacle(to name: String, in folder: Int32) -> Int32? {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT && !name.isEmpty ? nil : errno
        }
        return status.st_mode & S_IFMT == S_IFDIR ? EISDIR : nil
    }

    /// Locks an open part, and returns its size; nil if another download holds it, has renamed it meanwhile, or if it is not
    /// a file of this user's alone.
    private static func lock(_ descriptor: Int32, named name: String, in folder: Int32) -> Int? {
        var (opened, found) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0,
            fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0,
            opened.st_ino == found.st_ino, opened.st_dev == found.st_dev,
            opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid(), opened.st_nlink == 1
        else { return nil }
        return Int(opened.st_size)
    }

    deinit {
        if descriptor >= 0 {
            // Before the lock ends.
            if !isComplete, !isKept || size == 0 || !vouch() { remove() }
            close(descriptor)
        }
        if folder >= 0 { close(folder) }
    }

    // MARK: Writing

    mutating func write(_ bytes: CurlBytes) throws(CurlError) {
        let failed = bytes.withUnsafeBytes { Self.write($0, to: descriptor) }
        if let failed { throw Self.failure("written", failed) }
        size += bytes.count
        unsynced += bytes.count
        guard progress != nil, unsynced >= Self.maximumUnsynced else { return }
        guard vouch() else {
            let error = errno
            abandon()
            throw Self.failure("written", error)
        }
        unsynced = 0
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Darwin)
            let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
            let count = Musl.write(descriptor, rest.baseAddress, rest.count)
            #else
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return nil
    }

    /// Keeps the first bytes, and writes on after them.
    mutating func cut(to size: Int) throws(CurlError) {
        guard ftruncate(descriptor, off_t(size)) == 0, lseek(descriptor, off_t(size), SEEK_SET) == off_t(size) else {
            throw Self.failure("written", errno)
        }
        self.size = size
    }

    /// Removes it when it is dropped, with its note.
    mutating func abandon() { isKept = false }

    /// Writes the bytes to disk, and renames the file to its destination.
    mutating func complete() throws(CurlError) {
        guard syncToDisk(descriptor), renameat(folder, temporaryName, folder, name) == 0 else {
            throw Self.failure("completed", errno)
        }
        isComplete = true
        if isKept { unlinkat(folder, noteName, 0) }
    }

    private func remove() {
        unlinkat(folder, noteName, 0)
        unlinkat(folder, temporaryName, 0)
    }

    // MARK: The note of a part

    private var noteName: String { temporaryName + "-note" }
    private static let longestNote = 4_096

    /// Notes what the part is a part of, and keeps that note up to date.
    ///
    /// - Returns: whether the note is on disk.
    mutating func keep(as progress: DownloadProgress) -> Bool {
        var progress = progress
        progress.synced = min(progress.synced, size)
        progress.boot = SystemBoot.current
        unsynced = size - progress.synced
        self.progress = progress
        return write(note: progress.note)
    }

    /// Makes the note vouch for all bytes of the part.
    ///
    /// - Returns: whether they are on disk. If not, the part is of no use: the system may have dropped any of them.
    private func vouch() -> Bool {
        guard var progress else { return true }
        guard syncToDisk(descriptor) else { return false }
        progress.synced = size
        // The old note stays true if this one cannot be written.
        _ = write(note: progress.note)
        return true
    }

    /// Replaces the note.
    ///
    /// - Returns: whether it is on disk. Otherwise an older note could come back after a crash of the system.
    private func write(note: String) -> Bool {
        guard note.utf8.count <= Self.longestNote else { return false }
        let new = noteName + "-new"
        unlinkat(folder, new, 0)
        let file = openat(folder, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let failed = Array(note.utf8).withUnsafeBytes { Self.write($0, to: file) }
        guard failed == nil, syncToDisk(file), renameat(folder, new, folder, noteName) == 0 else {
            unlinkat(folder, new, 0)
            return false
        }
        return syncFolder()
    }

    private func syncFolder() -> Bool {
        // The descriptor at hand only looks names up.
        let opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        return syncToDisk(opened)
    }

    /// The note; nil if there is none that this user wrote.
    var note: String? {
        let file = openat(folder, noteName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Self.longestNote)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(validating: bytes.prefix(count), as: UTF8.self) : nil
    }

    private static func failure(_ what: String, _ error: Int32) -> CurlError {
        let reason = strerror(error).map { String(cString: $0) } ?? "error \(error)"
        return CurlError(.file, "the file could not be \(what): \(reason)", wasSent: true)
    }
}

/// Identifies the running system's last start. What a program wrote since then is in its file, on disk or in memory.
enum SystemBoot {
    /// Nil where the system does not say.
    static let current: String? = {
        #if os(Linux)
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
        #else
        return nil
        #endif
    }()
}

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), the same in each run.
enum StableHash {
    static func of(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
    }
}
#endif
