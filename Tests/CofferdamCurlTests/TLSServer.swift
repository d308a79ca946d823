#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// `openssl s_server` with a certificate of its own for 127.0.0.1, which nobody trusts.
final class TLSServer: Sendable {
    let port: Int
    /// The certificate, as a file of authorities.
    let certificate: String
    private let folder: String
    private let process: pid_t
    private let descriptor: Int32

    static let openssl = "/usr/bin/openssl"
    static var isAvailable: Bool { access(openssl, X_OK) == 0 }

    init() throws {
        var template = Array("/tmp/cofferdam-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ServerFailure(step: "mkdtemp") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        certificate = "\(folder)/certificate.pem"
        let key = "\(folder)/key.pem"
        let request = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=cofferdam", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ]
        var status: Int32 = 0
        let (maker, words) = try Self.spawn(request)
        defer { fclose(words) }
        guard waitpid(maker, &status, 0) == maker, status == 0 else { throw ServerFailure(step: "openssl req") }
        let server = ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key]
        let (process, output) = try Self.spawn(server)
        self.process = process
        // Stays open: the server ends when nobody can read it.
        descriptor = fileno(output)
        guard let port = Self.port(in: output) else {
            kill(process, SIGKILL)
            throw ServerFailure(step: "openssl s_server")
        }
        self.port = port
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        close(descriptor)
        for file in [certificate, "\(folder)/key.pem"] { unlink(file) }
        rmdir(folder)
    }

    /// - Returns: the process, and what it writes.
    private static func spawn(_ arguments: [String]) throws -> (pid_t, UnsafeMutablePointer<FILE>) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, let output = fdopen(ends[0], "r") else { throw ServerFailure(step: "pipe") }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var words = ([openssl] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let result = posix_spawn(&process, openssl, &actions, nil, &words, environ)
        close(ends[1])
        guard result == 0 else { throw ServerFailure(step: "posix_spawn") }
        return (process, output)
    }

    /// From the line `ACCEPT 127.0.0.1:40123`.
    private static func port(in output: UnsafeMutablePointer<FILE>) -> Int? {
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), output) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("ACCEPT"), let colon = text.lastIndex(of: ":") else { continue }
            return Int(text[text.index(after: colon)...].filter(\.isNumber))
        }
        return nil
    }
}
