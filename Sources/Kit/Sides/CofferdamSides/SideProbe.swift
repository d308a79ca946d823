#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a child process opens a side's library before this one does.
///
/// A library's initializers and its entry are third-party code. If that code traps, it ends only the child process, and
/// ``SideLibrary/open(_:ports:probe:)`` throws. The child process makes all the requests that this process would make,
/// so the entry also creates a port there.
public struct SideProbe: Sendable, Hashable {
    private var executable: String?
    private var limit: Duration = .zero

    /// This process opens the library directly, so a crash in the library crashes this process.
    public static let none = SideProbe()

    #if os(macOS) || os(Linux)
    /// A child process opens the library first.
    ///
    /// - Parameters:
    ///   - executable: the path of the kit's `cofferdam-side-probe`, built by the same compiler as this process.
    ///   - limit: the longest time that it may take.
    public static func inChildProcess(_ executable: String, limit: Duration = .seconds(10)) -> SideProbe {
        SideProbe(executable: executable, limit: limit)
    }
    #endif

    /// - Throws: the reason why the library must not be opened here.
    func run(_ file: String, ports: String) throws(SideLibraryError.Reason) {
        #if os(macOS) || os(Linux)
        guard let executable else { return }
        let child = try ProbeProcess(executable, file, within: limit)
        // A side of another build may crash for that very reason, so its handshake is checked first.
        if let handshake = child.handshake {
            try SideHandshake(text: handshake).check(ports: ports)
        }
        switch child.end {
        case .overdue: throw .overdue(limit)
        case .signal(let signal): throw .crashed(signal: signal)
        // If the loader refused the library, or it has no entry, opening it here fails too, with the reason.
        case .code(0) where child.isComplete: return
        case .code(let code): throw .exited(code: code)
        }
        #endif
    }

    #if os(macOS) || os(Linux)
    /// Runs the tool `cofferdam-side-probe`: opens the library that is its only argument, and ends the process.
    package static func main() -> Never {
        guard CommandLine.arguments.count == 2 else {
            let usage = "Usage: cofferdam-side-probe LIBRARY\n"
            _ = usage.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            exit(64)
        }
        // What the library prints must not be taken for the report.
        let report = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        func send(_ text: String) { _ = text.withCString { write(report, $0, strlen($0)) } }
        do throws(SideLibraryError.Reason) {
            let entry = try SideLibrary.load(try LibraryFile.resolve(CommandLine.arguments[1]))
            let text = try SideLibrary.text(of: entry)
            send(text + ProbeProcess.handshakeMark)
            let handshake = try SideHandshake(text: text)
            _ = entry(SideEntry.Request.type.rawValue, nil)
            let place = UnsafeMutableRawPointer.allocate(
                byteCount: max(handshake.size, 1),
                alignment: handshake.alignment
            )
            _ = entry(SideEntry.Request.port.rawValue, place)
        } catch {
            // The parent gets the same error, and throws it.
        }
        send(ProbeProcess.endMark)
        // Skips the library's destructors: an app does not run them while it works.
        _exit(0)
    }
    #endif
}
