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
///
/// The process keeps a lock on the folder, which the system releases however the process ends. A process's number would not do: the
/// system gives it to another process, and a process in another container has a number that is unknown here.
enum ProcessFolder {
    /// Short, because a path to a socket may have only about 100 bytes. The process's number follows, and a random part.
    private static let prefix = "cofferdam-"
    /// How often to make a folder that another process removes before it is locked.
    private static let attempts = 10

    /// Makes the folder, and the system's temporary folder for this process (`TMPDIR`) from here on. Call it once, before the
    /// command begins. If the folder cannot be made and locked, everything stays as it is.
    static func use() {
        let parent = FileManager.default.temporaryDirectory.path
        removeAbandoned(in: parent)
        // The lock is never released: it lasts as long as the process.
        guard let made = make(in: parent), setenv("TMPDIR", made.path, 1) == 0 else { return }
        atexit { if let path = ProcessFolder.path { ProcessFolder.remove(path) } }
    }

    /// The folder that `TMPDIR` names, if it is this process's.
    private static var path: String? {
        guard let path = getenv("TMPDIR").map({ String(cString: $0) }), owner(of: path) == getpid() else { return nil }
        return path
    }

    /// Makes a folder for this process, and locks it until the descriptor is closed.
    static func make(in parent: String) -> (path: String, lock: Int32)? {
        for _ in 0..<attempts {
            var name = Array("\(parent)/\(prefix)\(getpid())-XXXXXX".utf8CString)
            guard mkdtemp(&name) != nil else { return nil }
            let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let lock = locked(path) { return (path, lock) }
            remove(path)
        }
        return nil
    }

    /// Removes the folders of processes that no longer run.
    static func removeAbandoned(in parent: String) {
        for path in folders(in: parent) {
            guard let lock = locked(path) else { continue }
            defer { close(lock) }
            // A process that a killed one has started may still run.
            removeAbandoned(in: path)
            if folders(in: path).isEmpty { remove(path) }
        }
    }

    /// The folders that processes have made in another one.
    private static func folders(in parent: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return names.filter { owner(of: $0) != nil }.map { "\(parent)/\($0)" }
    }

    /// Locks a folder until the descriptor is closed. Nil if another process has the lock, or has removed the folder.
    private static func locked(_ path: String) -> Int32? {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        var (opened, present) = (stat(), stat())
        guard flock(folder, LOCK_EX | LOCK_NB) == 0, fstat(folder, &opened) == 0, lstat(path, &present) == 0,
            opened.st_dev == present.st_dev, opened.st_ino == present.st_ino
        else {
            close(folder)
            return nil
        }
        return folder
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
