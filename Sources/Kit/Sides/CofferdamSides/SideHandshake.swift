import CCofferdamSides

/// What a side says about itself, in plain C strings, before any Swift value crosses.
///
/// Two builds may share Swift values only if one compiler built both, from the same ports: Swift has no stable ABI on
/// Linux, and a package's library is not built for evolution on any platform. ``SideLibrary`` compares a side's
/// handshake with that of its own process, and refuses the side if they differ.
package struct SideHandshake: Sendable, Hashable {
    /// The version of the entry's protocol: ``currentProtocol`` in this version of the kit.
    var protocolVersion: Int
    /// The compiler that built the kit in the side: the version of Swift, and the commit of the Clang inside it.
    var compiler: String
    /// The version of the kit.
    var kit: String
    /// The digest of the ports that the side was compiled against: see ``PortsDigest``.
    var ports: String
    /// The mangled name of the port's type.
    var port: String
    /// The size of a value of that type, in bytes.
    var size: Int
    /// The alignment of a value of that type, in bytes.
    var alignment: Int

    /// The version of the entry's protocol that this version of the kit speaks.
    static let currentProtocol = 1

    /// The compiler that built this module.
    static let currentCompiler = "Swift \(swiftVersion), \(String(cString: cofferdam_sides_compiler()))"

    /// The version of this kit.
    static let currentKit = "0.2.0-dev"

    /// Creates the handshake of this process for a port.
    ///
    /// - Parameters:
    ///   - ports: the digest of the ports that the caller was compiled against.
    ///   - port: the port's type, for example `(any Settings).self`.
    init<Port>(ports: String, port: Port.Type) {
        protocolVersion = Self.currentProtocol
        compiler = Self.currentCompiler
        kit = Self.currentKit
        self.ports = ports
        self.port = Self.name(of: port)
        size = MemoryLayout<Port>.size
        alignment = MemoryLayout<Port>.alignment
    }

    /// Returns the type's mangled name; a private type has none that another module could know.
    static func name<Port>(of port: Port.Type) -> String { _mangledTypeName(port) ?? String(reflecting: port) }

    private static var swiftVersion: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}

// MARK: As text

extension SideHandshake {
    /// The handshake as text, with one line for each value: the name, an equals sign, the value.
    var text: String {
        let values: [(Key, String)] = [
            (.protocolVersion, "\(protocolVersion)"), (.compiler, compiler), (.kit, kit), (.ports, ports),
            (.port, port), (.size, "\(size)"), (.alignment, "\(alignment)"),
        ]
        return values.map { "\($0.rawValue)=\($1.split(whereSeparator: \.isNewline).joined(separator: " "))\n" }
            .joined()
    }

    /// - Throws: what cannot be read in `text`.
    init(text: String) throws(SideLibraryError.Reason) {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else {
                throw .unreadableHandshake("the line '\(line)' has no '='")
            }
            // Values that a later kit adds are ignored: the protocol's version says whether they matter.
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        func value(_ key: Key) throws(SideLibraryError.Reason) -> String {
            guard let value = values[key.rawValue] else {
                throw .unreadableHandshake("it has no '\(key.rawValue)'")
            }
            return value
        }
        func number(_ key: Key) throws(SideLibraryError.Reason) -> Int {
            let text = try value(key)
            guard let number = Int(text), number >= 0 else {
                throw .unreadableHandshake("its '\(key.rawValue)' is '\(text)', not a number")
            }
            return number
        }
        protocolVersion = try number(.protocolVersion)
        // Another protocol may write the rest differently.
        guard protocolVersion == Self.currentProtocol else {
            throw .otherProtocol(side: protocolVersion, process: Self.currentProtocol)
        }
        compiler = try value(.compiler)
        kit = try value(.kit)
        ports = try value(.ports)
        port = try value(.port)
        size = try number(.size)
        alignment = try number(.alignment)
        guard alignment > 0, alignment & (alignment - 1) == 0 else {
            throw .unreadableHandshake("its 'alignment' is \(alignment), not a power of two")
        }
    }

    private enum Key: String {
        case protocolVersion = "protocol"
        case compiler, kit, ports, port, size, alignment
    }

    /// Checks whether values of any type may be shared.
    func check(ports: String) throws(SideLibraryError.Reason) {
        guard compiler == Self.currentCompiler else {
            throw .otherCompiler(side: compiler, process: Self.currentCompiler)
        }
        guard kit == Self.currentKit else { throw .otherKit(side: kit, process: Self.currentKit) }
        guard self.ports == ports else { throw .otherPorts(side: self.ports, process: ports) }
    }

    /// Checks whether values of this type may be shared.
    func check<Port>(port: Port.Type) throws(SideLibraryError.Reason) {
        let name = Self.name(of: port)
        guard self.port == name else { throw .otherPort(side: self.port, process: name) }
        guard size == MemoryLayout<Port>.size, alignment == MemoryLayout<Port>.alignment else {
            throw .otherLayout(
                side: "\(size) bytes, aligned to \(alignment)",
                process: "\(MemoryLayout<Port>.size) bytes, aligned to \(MemoryLayout<Port>.alignment)"
            )
        }
    }
}
