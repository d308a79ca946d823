#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The `openssl` command.
enum OpenSSL {
    private static let path = "/usr/bin/openssl"
    static var isAvailable: Bool { access(path, X_OK) == 0 }

    /// Returns when it has succeeded.
    static func run(_ arguments: [String]) throws {
        let process = try spawn(arguments, input: nil, output: nil)
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else {
            throw ServerFailure(step: "openssl \(arguments.first ?? "")")
        }
    }

    /// - Parameters:
    ///   - input: a descriptor that replaces the process's input; `nil` for none.
    ///   - output: a descriptor that replaces the process's output; `nil` for none.
    static func spawn(_ arguments: [String], input: Int32?, output: Int32?) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // The test threads block all signals. A process that inherited that could not be terminated.
        var signals = sigset_t()
        sigemptyset(&signals)
        // Nor does it inherit sockets of this process: they would stay open when this process closes them.
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGMASK))
        #else
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // Swift's module map of the C library lacks it.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
        }
        #endif
        posix_spawnattr_setsigmask(&attributes, &signals)
        defer { posix_spawnattr_destroy(&attributes) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, path, &actions, &attributes, &words, environ) == 0 else {
            throw ServerFailure(step: "posix_spawn")
        }
        return process
    }

    static func end(_ process: pid_t) {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }
}
#endif
