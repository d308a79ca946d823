#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The temporary folder of a command's process and of the processes that it starts. It is removed when the process exits; what a
/// killed process has left is removed by the next one.
enum ProcessFolder {
    /// Short, because a path to a socket may have only about 100 bytes. The process's number follows, and a random part.
    private static let prefix = "cofferdam-"

    /// Makes the folder, and the system's temporary folder for this process (`TMPDIR`) from here on. Call it once, before the
    /// command begins. If the folder cannot be made, everything stays as it is.
    static func use() {
        let parent = FileManager.default.temporaryDirectory.path
        removeAbandoned(in: parent)
        guard created(in: parent) != nil else { return }
        atexit { if let path = ProcessFolder.path { ProcessFolder.remove(path) } }
    }

    /// The folder that `TMPDIR` names, if it is this process's.
    private static var path: String? {
        guard let path = getenv("TMPDIR").map({ String(cString: $0) }), owner(of: path) == getpid() else { return nil }
        return path
    }

    private static func created(in parent: String) -> String? {
        var name = Array("\(parent)/\(prefix)\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { return nil }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return setenv("TMPDIR", path, 1) == 0 ? path : nil
    }

    /// Removes the folders of processes that no longer run.
    static func removeAbandoned(in parent: String) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: parent) else { return }
        for name in names {
            guard let owner = owner(of: name), kill(owner, 0) != 0, errno == ESRCH else { continue }
            remove("\(parent)/\(name)")
        }
    }

    /// The number of the process that made a folder; nil for any other folder.
    private static func owner(of path: String) -> pid_t? {
        guard let name = path.split(separator: "/").last, name.hasPrefix(prefix) else { return nil }
        let parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 6, let number = pid_t(parts[0]), number > 0 else { return nil }
        return number
    }

    /// What cannot be removed now, because another process still writes to it, is abandoned.
    private static func remove(_ path: String) {
        do { try FileManager.default.removeItem(atPath: path) } catch {}
    }
}
