#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Colours for a terminal; plain text everywhere else.
package struct TerminalStyle: Sendable, Hashable {
    /// Whether colours are written at all.
    package var isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// Uses colours only on a terminal that can show them, and only if the environment does not forbid them (NO_COLOR,
    /// not empty: https://no-color.org).
    package init(isTerminal: Bool, environment: [String: String]) {
        isColoured =
            isTerminal && environment["NO_COLOR", default: ""].isEmpty
            && !["", "dumb"].contains(environment["TERM", default: ""])
    }

    package enum Colour: Int, Sendable, Hashable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    /// The text in that colour, or unchanged if there are no colours.
    package func apply(_ colour: Colour?, to text: String) -> String {
        guard isColoured, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}

/// Standard output or standard error, for writing text.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    package func style(environment: [String: String]) -> TerminalStyle {
        TerminalStyle(isTerminal: isTerminal, environment: environment)
    }

    /// Writes the whole text, however slow the reader.
    ///
    /// - Throws: ``StreamClosed`` when its reader has closed it or it cannot be written.
    package func write(_ text: String) throws(StreamClosed) { try write(Array(text.utf8)) }

    /// Writes all the bytes, however slow the reader.
    package func write(_ bytes: [UInt8]) throws(StreamClosed) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var descriptor = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                _ = poll(&descriptor, 1, -1)
            case let code: throw StreamClosed(errno: code)
            }
        }
    }
}

/// The reader of a standard stream has closed it (as after `| head`), or it cannot be written.
package struct StreamClosed: Error, Sendable, Hashable {
    package let errno: Int32

    /// Whether the reader has simply read enough, which is not a failure.
    package var isBrokenPipe: Bool { errno == EPIPE }
}

extension StreamClosed: CustomStringConvertible {
    package var description: String { "cannot write to a standard stream: error \(errno)" }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
