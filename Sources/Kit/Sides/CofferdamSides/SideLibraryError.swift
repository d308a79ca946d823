/// The reason why a side's library was not opened, or returned no port.
public struct SideLibraryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The library's path.
    public var path: String
    /// What was wrong.
    public var reason: Reason

    /// Creates an error for a library.
    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// What was wrong with a side's library. In a mismatch, `side` is the library's value, and `process` that of the
    /// process that would open it.
    public enum Reason: Error, Sendable, Hashable {
        /// There is no file at the path.
        case missing
        /// The file cannot be read; the value says why.
        case unreadable(String)
        /// The file is not a dynamic library; the value says what it is.
        case notALibrary(String)
        /// The library is for another architecture or another system.
        case otherArchitecture(side: String, process: String)
        /// The library, or one that it needs, uses a symbol that no library defines.
        case undefinedSymbol(String, message: String)
        /// The system's loader refused the library, with this message.
        case notLoaded(String)
        /// The library does not define `symbol`.
        case noEntry
        /// The handshake cannot be read; the value says why.
        case unreadableHandshake(String)
        /// The entry speaks another protocol.
        case otherProtocol(side: Int, process: Int)
        /// Another compiler built it.
        case otherCompiler(side: String, process: String)
        /// It was built with another version of the kit.
        case otherKit(side: String, process: String)
        /// It was compiled against other ports.
        case otherPorts(side: String, process: String)
        /// The entry's port has another type; the names are mangled.
        case otherPort(side: String, process: String)
        /// The port's type has the same name, but another layout.
        case otherLayout(side: String, process: String)
        /// The port's type has the same name, but is declared in another copy of its module: the ports' library, or
        /// the Swift runtime, is linked statically into the side or into this process.
        case otherCopy(port: String)
        /// The entry returned no port.
        case noPort
        /// A signal ended the child process that opened the library first.
        case crashed(signal: Int32)
        /// The child process that opened the library first exited with this code.
        case exited(code: Int32)
        /// The child process that opened the library first did not end within this time.
        case overdue(Duration)
        /// The child process could not be started; the values are its executable and the reason.
        case probeNotStarted(executable: String, String)
    }

    /// The path and the reason.
    public var description: String { "the side's library '\(path)' \(reason.text)" }
}

extension SideLibraryError.Reason {
    fileprivate var text: String {
        switch self {
        case .missing: "is missing"
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .notALibrary(let found): "is not a dynamic library: \(found)"
        case .otherArchitecture(let side, let process): "is for \(side), and this process is \(process)"
        case .undefinedSymbol(let symbol, let message): "needs the symbol '\(symbol)', which is not there: \(message)"
        case .notLoaded(let message): "was not loaded: \(message)"
        case .noEntry: "has no entry: it does not define the C function '\(SideEntry.symbol)'"
        case .unreadableHandshake(let reason): "gave a handshake that cannot be read: \(reason)"
        case .otherProtocol(let side, let process):
            "speaks version \(side) of the entry's protocol, and this process version \(process)"
        case .otherCompiler(let side, let process): "was built by '\(side)', and this process by '\(process)'"
        case .otherKit(let side, let process): "was built with Cofferdam \(side), and this process with \(process)"
        case .otherPorts(let side, let process):
            "was compiled against the ports with the digest '\(side)', and this process against '\(process)'"
        case .otherPort(let side, let process): "gives a port of type '\(side)', and '\(process)' was asked for"
        case .otherLayout(let side, let process):
            "gives a port that takes \(side), and in this process it takes \(process)"
        case .otherCopy(let port):
            """
            has another copy of the module that declares '\(port)', or of the Swift runtime: \
            link both as dynamic libraries, into the side and into this process
            """
        case .noPort: "returned no port"
        case .crashed(let signal): "crashed: signal \(signal) ended the child process that opened it first"
        case .exited(let code): "ended the child process that opened it first, with code \(code)"
        case .overdue(let limit): "had not answered the child process that opened it first after \(limit)"
        case .probeNotStarted(let executable, let reason):
            "was not opened: the child process '\(executable)' could not be started: \(reason)"
        }
    }
}
