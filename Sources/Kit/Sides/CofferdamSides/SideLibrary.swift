import CCofferdamSides
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A side: an adapter with its vendor, in its own dynamic library, which is opened at run time.
///
/// This lets two majors of one package, with the same module names, run in one process, because no build sees both.
/// They share only the ports' module, which each side and the app link as one dynamic library.
///
/// ```swift
/// let router = Router(
///     legacy: { try SideLibrary.open(v1, ports: settingsPortsDigest).port(as: (any Settings).self) },
///     candidate: { try SideLibrary.open(v2, ports: settingsPortsDigest).port(as: (any Settings).self) }
/// )
/// ```
///
/// An open side is never closed: Swift's types cannot be removed from a process. If the file at its path is replaced,
/// only the next process opens the new one.
public final class SideLibrary: Sendable {
    /// The library's path, absolute and without symbolic links.
    public let path: String
    /// What the side says about itself.
    let handshake: SideHandshake

    private let entry: SideEntry.Function

    private init(path: String, handshake: SideHandshake, entry: @escaping SideEntry.Function) {
        self.path = path
        self.handshake = handshake
        self.entry = entry
    }

    private static let opened = Mutex<[String: SideLibrary]>([:])

    /// Opens a side's library, or returns it if this process has opened it before.
    ///
    /// Reads the file's header, loads the library without exposing its symbols to others, requests the handshake, and
    /// compares it with this process's own. No Swift value is exchanged before all of it matches.
    ///
    /// - Parameters:
    ///   - path: the library's file. A relative path begins in the working directory; no other place is searched.
    ///   - ports: the digest of the ports that the caller was compiled against: see ``PortsDigest``.
    ///   - probe: whether a child process opens the library first, so that a crash becomes an error. The call waits for
    ///     that process.
    /// - Throws: the reason why the library cannot be used.
    public static func open(
        _ path: String,
        ports: String,
        probe: SideProbe = .none
    ) throws(SideLibraryError) -> SideLibrary {
        do throws(SideLibraryError.Reason) {
            let file = try LibraryFile.resolve(path)
            if let library = opened.withLock({ $0[file] }) {
                try library.handshake.check(ports: ports)
                return library
            }
            try LibraryFile.check(file)
            try probe.run(file, ports: ports)
            // One at a time: the loader keeps its last error per thread, but a side's initializers affect the whole
            // process.
            return try opened.withLock { (opened) throws(SideLibraryError.Reason) in
                if let library = opened[file] {
                    try library.handshake.check(ports: ports)
                    return library
                }
                let entry = try load(file)
                let handshake = try SideHandshake(text: try text(of: entry))
                try handshake.check(ports: ports)
                let library = SideLibrary(path: file, handshake: handshake, entry: entry)
                opened[file] = library
                return library
            }
        } catch {
            throw SideLibraryError(path: path, reason: error)
        }
    }

    /// Returns a new port of the side. Each call creates another one, as the side's entry says.
    ///
    /// - Parameter port: the port's type, as in the side's entry.
    /// - Throws: ``SideLibraryError`` if the side has a port of another type, or another copy of the type, or returns
    ///   nothing.
    public func port<Port: Sendable>(as port: Port.Type) throws(SideLibraryError) -> Port {
        do throws(SideLibraryError.Reason) {
            try handshake.check(port: port)
            guard entry(SideEntry.Request.type.rawValue, nil) == SideEntry.address(of: port) else {
                throw .otherCopy(port: String(reflecting: port))
            }
            let place = UnsafeMutablePointer<Port>.allocate(capacity: 1)
            defer { place.deallocate() }
            guard entry(SideEntry.Request.port.rawValue, place) != nil else { throw .noPort }
            return place.move()
        } catch {
            throw SideLibraryError(path: path, reason: error)
        }
    }
}

// MARK: The loader

extension SideLibrary {
    /// Loads a library permanently: even one that is refused stays loaded, because the runtime knows its types.
    static func load(_ file: String) throws(SideLibraryError.Reason) -> SideEntry.Function {
        guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) else { throw refusal() }
        guard let symbol = dlsym(library, SideEntry.symbol), isDefined(symbol, in: file) else { throw .noEntry }
        return unsafeBitCast(symbol, to: SideEntry.Function.self)
    }

    /// Returns the text of an entry's handshake.
    static func text(of entry: SideEntry.Function) throws(SideLibraryError.Reason) -> String {
        guard let text = entry(SideEntry.Request.handshake.rawValue, nil) else {
            throw .unreadableHandshake("the entry returned nothing")
        }
        defer { free(text) }
        return String(cString: text.assumingMemoryBound(to: CChar.self))
    }

    /// Returns why `dlopen` failed.
    private static func refusal() -> SideLibraryError.Reason {
        guard let text = dlerror() else { return .notLoaded("the loader gives no reason") }
        let message = String(cString: text)
        // The wordings of glibc, musl and dyld.
        let marks = ["undefined symbol: ", "Error relocating ", "Symbol not found: "]
        guard let mark = marks.first(where: message.contains), mark != marks[1] || message.hasSuffix("symbol not found")
        else { return .notLoaded(message) }
        let (begin, end): (String, Character) = mark == marks[1] ? (": ", ":") : (mark, " ")
        let rest = message.split(separator: begin, maxSplits: 1).dropFirst().first ?? ""
        let symbol = rest.prefix { $0 != end && $0 != "," && !$0.isWhitespace }
        return .undefinedSymbol(String(symbol), message: message)
    }

    /// Returns whether the library itself defines the symbol: the loader also finds symbols in the libraries that it
    /// needs.
    private static func isDefined(_ symbol: UnsafeMutableRawPointer, in file: String) -> Bool {
        guard let name = cofferdam_sides_library(symbol) else { return false }
        return (try? LibraryFile.resolve(String(cString: name))) == file
    }
}
