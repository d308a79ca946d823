#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

import Cofferdam

/// Asks for a password: the environment's SANCTUARY_PASSWORD, else a prompt without echo, else the first line of
/// standard input. Never an argument, which every user of the machine could read.
enum Password {
    static func read(for user: String, environment: [String: String]) throws -> String {
        if let password = environment["SANCTUARY_PASSWORD"], !password.isEmpty { return password }
        let line = isatty(STDIN_FILENO) == 1 ? try prompt(for: user) : readLine(strippingNewline: true)
        guard let line, !line.isEmpty else {
            throw Failure(.usage, "no password: set SANCTUARY_PASSWORD, or give it on standard input")
        }
        return line
    }

    private static func prompt(for user: String) throws -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return readLine(strippingNewline: true) }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        try StandardStream.error.write("Password of \(user.escapedForTerminal): ")
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw Failure(.other, "the terminal's echo cannot be turned off")
        }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        while try !isLineReady() {}
        let line = readLine(strippingNewline: true)
        try StandardStream.error.write("\n")
        return line
    }

    /// Waits a little for a line, so that Ctrl-C is noticed and the echo comes back.
    private static func isLineReady() throws -> Bool {
        try Task.checkCancellation()
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 100) > 0
    }
}
