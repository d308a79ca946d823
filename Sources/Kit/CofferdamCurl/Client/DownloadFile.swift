#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A temporary file beside the destination, which it replaces once complete. If dropped before that, it is removed.
struct DownloadFile: ~Copyable {
    /// The folder's descriptor: with it, a name may be longer than a path would allow.
    private let folder: Int32
    private let name: String
    private let temporaryName: String
    private let descriptor: Int32
    private var isComplete = false

    /// - Throws: `file` when the folder cannot be written to.
    init(for path: String) throws(CurlError) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        name = String(path[slash...])
        // Of a fixed length, because the destination's name may have the maximum length.
        temporaryName = ".\(String(UInt64.random(in: .min ... .max), radix: 36))"
        folder = open(slash == path.startIndex ? "." : String(path[..<slash]), Self.folderFlags)
        var error = folder < 0 ? errno : Self.obstacle(to: name, in: folder)
        if error == nil {
            descriptor = openat(folder, temporaryName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor < 0 { error = errno }
        } else {
            descriptor = -1
        }
        if let error { throw Self.failure("made", error) }
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

    deinit {
        if descriptor >= 0 {
            close(descriptor)
            if !isComplete { unlinkat(folder, temporaryName, 0) }
        }
        if folder >= 0 { close(folder) }
    }

    func write(_ bytes: CurlBytes) throws(CurlError) {
        let failed = bytes.withUnsafeBytes { bytes -> Int32? in
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
        if let failed { throw Self.failure("written", failed) }
    }

    /// Writes the bytes to disk, and renames the file to its destination.
    mutating func complete() throws(CurlError) {
        guard fsync(descriptor) == 0, renameat(folder, temporaryName, folder, name) == 0 else {
            throw Self.failure("completed", errno)
        }
        isComplete = true
    }

    private static func failure(_ what: String, _ error: Int32) -> CurlError {
        let reason = strerror(error).map { String(cString: $0) } ?? "error \(error)"
        return CurlError(.file, "the file could not be \(what): \(reason)", wasSent: true)
    }
}
