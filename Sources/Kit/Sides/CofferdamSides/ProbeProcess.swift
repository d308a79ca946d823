#if os(macOS) || os(Linux)
import CCofferdamSides

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The child process of a probe, run to its end. Its output goes to the standard error of this process.
struct ProbeProcess {
    enum End {
        case code(Int32)
        case signal(Int32)
        case overdue
    }

    /// Written after the handshake's lines.
    static let handshakeMark = "\n"
    /// Written after all requests.
    static let endMark = "end\n"

    let end: End
    private let report: String

    /// The side's handshake; nil if the process did not get that far.
    var handshake: String? {
        report.firstRange(of: "\n" + Self.handshakeMark).map { String(report[..<$0.lowerBound]) }
    }

    /// Whether the process has made all requests.
    var isComplete: Bool { report.hasSuffix(Self.endMark) }

    init(_ executable: String, _ library: String, within limit: Duration) throws(SideLibraryError.Reason) {
        func failed(_ code: Int32) -> SideLibraryError.Reason {
            .probeNotStarted(executable: executable, String(cString: strerror(code)))
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failed(errno) }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (pid, code) = Self.spawn(executable, library, output: ends[1])
        close(ends[1])
        guard code == 0 else { throw failed(code) }
        let deadline = ContinuousClock.now + limit
        report = Self.read(ends[0], until: deadline)
        end = Self.wait(for: pid, until: deadline)
    }

    private static func spawn(_ executable: String, _ library: String, output: Int32) -> (pid_t, Int32) {
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
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDERR_FILENO)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, numericCast(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        // The child inherits neither: the threads of a pool block signals, and a tool ignores some.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // To print a crash's backtrace takes seconds.
        let variable = "SWIFT_BACKTRACE="
        var argv: [UnsafeMutablePointer<CChar>?] = [strdup(executable), strdup(library), nil]
        var envp = environment().filter { !$0.hasPrefix(variable) }.map { strdup($0) }
        envp += [strdup(variable + "enable=no"), nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, executable, &actions, &attributes, &argv, &envp)
        return (pid, code)
    }

    private static func environment() -> [String] {
        guard var next = cofferdam_sides_environment() else { return [] }
        var found: [String] = []
        while let text = next.pointee {
            found.append(String(cString: text))
            next += 1
        }
        return found
    }

    /// Returns everything that is written before the end of the file or the deadline.
    private static func read(_ file: Int32, until deadline: ContinuousClock.Instant) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var polled = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, milliseconds(until: deadline))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { break }
            let count = systemRead(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns how the process ended. It is killed at the deadline.
    private static func wait(for pid: pid_t, until deadline: ContinuousClock.Instant) -> End {
        var status: Int32 = 0
        var isOverdue = false
        while true {
            let ended = waitpid(pid, &status, isOverdue ? 0 : WNOHANG)
            if ended == pid { break }
            // Any other error is impossible: the process is this one's child, and only this code waits for it.
            guard ended == 0 || errno == EINTR else { return .overdue }
            if ended == 0, ContinuousClock.now >= deadline {
                isOverdue = true
                kill(-pid, SIGKILL)
            } else if ended == 0 {
                // The report has ended, so the process is about to end too.
                poll(nil, 0, 1)
            }
        }
        let signal = status & 0x7f
        if isOverdue { return .overdue }
        return signal == 0 ? .code(status >> 8 & 0xff) : .signal(signal)
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, buffer, count)
}
#endif
