#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written atomically, and is on disk when writing returns.
package struct AtomicFile: Sendable {
    /// Why a file cannot be read or written.
    package struct Failure: Error, CustomStringConvertible {
        package let path: String
        /// Such as "cannot be opened: Permission denied".
        package let reason: String
        /// Whether the file has changed already, but the change may be lost again.
        package let isChanged: Bool

        package var description: String { "\(path) \(reason)" }
    }

    package let path: String

    package init(path: String) { self.path = path }

    /// The content; nil if the file does not exist.
    package func read() throws(Failure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("cannot be opened") }
            return nil
        }
        defer { close(file) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = part.withUnsafeMutableBytes { readBytes(file, $0) }
            if count == 0 { return content }
            if count > 0 {
                content += part[..<count]
            } else if errno != EINTR {
                throw failure("cannot be read")
            }
        }
    }

    /// Replaces the content. There may be only one writer at a time. A new file can be read by its owner only.
    ///
    /// - Parameter prepare: called with the path of the new file, before it takes the place of the old one.
    package func write(_ content: some Collection<UInt8>, prepare: (String) throws -> Void = { _ in }) throws {
        let new = path + ".new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written") }
        do {
            try write(Array(content), to: file)
            try prepare(new)
        } catch {
            close(file)
            // Free the space on a full disk.
            unlink(new)
            throw error
        }
        guard close(file) == 0, rename(new, path) == 0 else { throw failure("cannot be replaced") }
        try settle()
    }

    package func remove() throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be removed") }
        try settle()
    }

    /// Gives the file another name that no file has, for people to look at.
    ///
    /// - Returns: the new path.
    package func setAside() throws(Failure) -> String {
        var number = 1
        while FileIdentity(path: "\(path).damaged-\(number)") != nil { number += 1 }
        let aside = "\(path).damaged-\(number)"
        guard rename(path, aside) == 0 else { throw failure("cannot be set aside") }
        try settle()
        return aside
    }

    private func write(_ content: [UInt8], to file: Int32) throws(Failure) {
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(file, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("cannot be written")
            }
        }
        guard syncToDisk(file) else { throw failure("cannot be synced to the disk") }
    }

    /// Syncs the directory, which holds the name of the file.
    private func settle() throws(Failure) {
        // The present directory for a name without one.
        let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("its directory cannot be opened", isChanged: true) }
        defer { close(descriptor) }
        guard syncToDisk(descriptor) else {
            throw failure("its directory cannot be synced to the disk", isChanged: true)
        }
    }

    private func failure(_ what: String, isChanged: Bool = false) -> Failure {
        Failure(path: path, reason: "\(what): \(String(cString: strerror(errno)))", isChanged: isChanged)
    }
}

// Members of the file have the same names.
private func readBytes(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(file, buffer.baseAddress, buffer.count)
}

private func writeBytes(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(file, buffer.baseAddress, buffer.count)
}
