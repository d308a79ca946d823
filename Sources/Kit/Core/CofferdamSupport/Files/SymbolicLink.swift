#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Symbolic links to files.
package enum SymbolicLink {
    /// As many as Linux follows.
    private static let maxLinks = 40

    /// The path of the file that the links at `path` lead to, whether it exists or not; `path` itself if it is no link.
    ///
    /// SQLite keeps its log beside that file, and a program that replaces the file must write it there.
    package static func target(of path: String) -> String {
        var path = path
        for _ in 0..<maxLinks {
            guard let next = destination(of: path) else { return path }
            let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : directory + next
        }
        return path
    }

    /// What the link contains; nil if there is no link.
    private static func destination(of path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(path, &buffer, buffer.count)
        guard length >= 0 else { return nil }
        return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
