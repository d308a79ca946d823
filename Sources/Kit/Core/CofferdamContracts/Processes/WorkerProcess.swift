#if os(macOS) || os(Linux)
import Cofferdam
import Dispatch

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

/// A child process that receives requests and sends answers as lines over its file descriptor 3. Its output is
/// kept, to see why it died; its standard input is empty.
///
/// It leads its own process group: Ctrl-C reaches only its parent, and the processes that it starts are killed with
/// it.
package final class WorkerProcess: Sendable {
    private enum Event {
        case line(String)
        case ended(ProcessEnded)
    }

    private let link: WorkerLink
    private let events: AsyncStream<Event>
    /// Nil once the process has ended.
    private let pid: Mutex<pid_t?>

    /// Starts the process.
    ///
    /// - Parameter environment: variables that are added to this process's own, or replace them.
    /// - Throws: ``NotStarted``.
    package init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw NotStarted(path, errno) }
        defer { close(ends[1]) }
        link = WorkerLink(ends[0])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let log: WorkerLog
        let pid: pid_t
        do {
            log = try WorkerLog(of: path)
            // A crash's backtrace takes seconds and contains nothing that a report would show.
            let own = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            pid = try Self.spawn(path, arguments, own.merging(environment) { $1 }, socket: ends[1], log: log)
        } catch {
            link.close()
            throw error
        }
        self.pid = Mutex(pid)
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        // On its own thread, because this blocks in system calls.
        DispatchQueue(label: "cofferdam.worker").async { [link, self] in
            link.read { continuation.yield(.line($0)) }
            link.close()
            continuation.yield(.ended(self.reap(log)))
            continuation.finish()
        }
    }

    package func send(_ line: String) { link.send(line) }

    /// Returns the next line that the process writes.
    ///
    /// - Throws: `ProcessEnded` if the process ended instead, `ProcessOverdue` if `limit` has passed,
    ///   `CancellationError`; the process is then killed.
    package func next(within limit: Duration? = nil) async throws -> String {
        do {
            let event = try await withThrowingTaskGroup(of: Event?.self) { [events] group in
                group.addTask { await events.first { _ in true } }
                if let limit {
                    group.addTask {
                        try await ContinuousClock().sleep(for: limit)
                        throw ProcessOverdue()
                    }
                }
                defer { group.cancelAll() }
                return try await group.next().flatMap(\.self)
            }
            switch event {
            case .line(let line): return line
            case .ended(let end): throw end
            case nil: throw CancellationError()
            }
        } catch {
            kill()
            throw error
        }
    }

    /// Tells the process that it is no longer needed: it sees the end of its requests, and exits.
    package func release() { link.finish() }

    package func kill() {
        pid.withLock { pid in
            if let pid { _ = Self.signal(-pid, SIGKILL) }
        }
    }

    private static func signal(_ pid: pid_t, _ number: Int32) -> Int32 {
        #if canImport(Darwin)
        Darwin.kill(pid, number)
        #elseif canImport(Glibc)
        Glibc.kill(pid, number)
        #else
        Musl.kill(pid, number)
        #endif
    }

    /// Waits for the process to end.
    private func reap(_ log: WorkerLog) -> ProcessEnded {
        guard let pid = pid.withLock(\.self) else {
            return ProcessEnded(isCrash: false, "its process is missing")
        }
        var end = siginfo_t()
        // Not reaped until nothing can send it a signal any more: afterwards, its number may belong to another
        // process.
        while waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        self.pid.withLock { pid in
            guard let child = pid else { return }
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            pid = nil
        }
        let reason = log.reason()
        let signal = status & 0x7f
        return signal == 0
            ? ProcessEnded(isCrash: false, "its process ended with code \(status >> 8 & 0xff)" + reason)
            : ProcessEnded(isCrash: true, "signal \(signal) ended its process" + reason)
    }

    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        socket: Int32,
        log: WorkerLog
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let flags =
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, log.descriptor, 1)
        posix_spawn_file_actions_adddup2(&actions, log.descriptor, 2)
        posix_spawn_file_actions_adddup2(&actions, socket, WorkerLink.descriptorOfChild)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, numericCast(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        // The child must not inherit signal settings: the threads of a pool block signals, and a tool ignores some.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
        defer { for text in argv + envp { free(text) } }
        argv.append(nil)
        envp.append(nil)
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, &attributes, argv, envp)
        guard code == 0 else { throw NotStarted(path, code) }
        return pid
    }
}

/// A program could not be started.
package struct NotStarted: Error, CustomStringConvertible {
    package let description: String

    init(_ path: String, _ code: Int32) {
        description = "\(path) was not started: \(String(cString: strerror(code)))"
    }
}

/// A process's output, in a file without a name.
private final class WorkerLog: Sendable {
    let descriptor: Int32

    init(of path: String) throws {
        var name = Array("\(FileManager.default.temporaryDirectory.path)/cofferdam-worker-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw NotStarted(path, errno) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Returns the last line in which Swift says why it trapped, or else the last line. Only the end of the file is
    /// read.
    func reason() -> String {
        let size = lseek(descriptor, 0, SEEK_END)
        let limit = 1 << 16
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(descriptor, &bytes, limit, max(0, size - off_t(limit)))
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
        let telling = lines.last { $0.contains("Fatal error") || $0.contains("Precondition failed") } ?? lines.last
        return telling.map { ": \($0)" } ?? ""
    }
}
#endif
