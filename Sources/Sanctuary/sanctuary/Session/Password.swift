#if Sandbox
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

import Cofferdam
import CofferdamSupport

/// Obtains a password from the environment's SANCTUARY_PASSWORD, or a prompt without echo, or the first line of
/// standard input. It is never an argument, which every user of the machine could read.
enum Password {
    static func read(for user: String, environment: [String: String]) throws -> String {
        if let password = environment["SANCTUARY_PASSWORD"], !password.isEmpty { return password }
        let line = isatty(STDIN_FILENO) == 1 ? try prompt(for: user) : try InputLine.read()
        guard let line, !line.isEmpty else {
            throw Failure(.usage, "no password: set SANCTUARY_PASSWORD, or pass it on standard input")
        }
        return line
    }

    private static func prompt(for user: String) throws -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return try InputLine.read() }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        try StandardStream.error.write("Password of \(user.escapedForTerminal): ")
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw Failure(.other, "the terminal's echo cannot be turned off")
        }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        let line = try InputLine.read()
        try StandardStream.error.write("\n")
        return line
    }
}

/// The first line of standard input, read so that Ctrl-C is noticed while no input arrives.
enum InputLine {
    /// The limit in bytes: no password is longer, and a device may return zeros without end.
    static let limit = 4096

    /// Reads the line without its end; nil if there is none, or it is not UTF-8.
    ///
    /// - Throws: `CancellationError` soon after the task is cancelled; `usage` for a line beyond ``limit``.
    static func read() throws -> String? {
        var line: [UInt8] = []
        while let byte = try nextByte() {
            guard byte != UInt8(ascii: "\n") else {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(validating: line, as: UTF8.self)
            }
            guard line.count < limit else {
                throw Failure(.usage, "the password is longer than \(limit) bytes")
            }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
    }

    /// Returns nil at the end, or if standard input is closed.
    private static func nextByte() throws -> UInt8? {
        while true {
            while try !isReady() {}
            var byte: UInt8 = 0
            let count = systemRead(&byte)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
        }
    }

    /// Waits briefly for input.
    private static func isReady() throws -> Bool {
        try Task.checkCancellation()
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 100) > 0
    }
}

/// The C library's `read`, which the method of that name hides.
private func systemRead(_ byte: inout UInt8) -> Int { read(STDIN_FILENO, &byte, 1) }
#endif
