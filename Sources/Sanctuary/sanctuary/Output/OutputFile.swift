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

/// A file for a result: written whole or not at all.
struct OutputFile {
    let path: String

    /// To be made before anything is fetched. The file is replaced as a whole, which must never happen to a device:
    /// /dev/null would be a picture from then on.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
        if kind == S_IFDIR || path.hasSuffix("/") {
            throw Failure(.cannotWrite, "\(path) is a directory")
        }
        if kind != S_IFREG {
            throw Failure(.cannotWrite, "\(path) is no regular file; to write to standard output, give -")
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
