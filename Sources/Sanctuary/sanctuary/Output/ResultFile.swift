#if Sandbox
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file for a result, written atomically.
struct ResultFile {
    let path: String

    /// Checks the path; call it before anything is fetched. The file is replaced as a whole, which must never happen to
    /// a device: /dev/null would become a picture.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFDIR || path.hasSuffix("/") {
            throw Failure(.cannotWrite, "\(path) is a directory")
        }
        if kind != S_IFREG {
            throw Failure(.cannotWrite, "\(path) is not a regular file; to write to standard output, use -")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(.cannotWrite, "cannot write \(path)")
        }
    }
}
#endif
