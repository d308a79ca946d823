#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The C entry of a side's dynamic library.
///
/// A side defines one C function, and passes on what it is asked:
///
/// ```swift
/// @c(cofferdam_side)
/// public func side(_ request: Int32, _ place: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
///     SideEntry.answer(request, place, ports: settingsPortsDigest, as: (any Settings).self) { V2Settings() }
/// }
/// ```
///
/// With a compiler before 6.3, write `@_cdecl("cofferdam_side")` instead of `@c(cofferdam_side)`.
public enum SideEntry {
    /// The name of the C function.
    public static let symbol = "cofferdam_side"

    /// The C function: what is asked, and a place for the answer where one is needed.
    typealias Function =
        @Sendable @convention(c) (Int32, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    /// What a host asks.
    enum Request: Int32 {
        /// The handshake as a C string, which the caller frees.
        case handshake = 0
        /// The address of the port's type as the side has it: another address is another copy of the ports' module.
        case type = 1
        /// A value of the port's type, put into the place. Nil if there is none.
        case port = 2
    }

    /// Answers one request of a host.
    ///
    /// - Parameters:
    ///   - request: as the C function received it.
    ///   - place: as the C function received it.
    ///   - ports: the digest of the ports, compiled into the side: see ``PortsDigest``.
    ///   - port: the type that crosses. It is declared in the ports' module or in the standard library.
    ///   - make: makes the port; nil if it cannot. It runs once for each ``SideLibrary/port(as:)``, on the thread of
    ///     the caller, and in the child process of a ``SideProbe``. So let the port open its SDK with its first call.
    /// - Returns: what the C function returns.
    public static func answer<Port: Sendable>(
        _ request: Int32,
        _ place: UnsafeMutableRawPointer?,
        ports: String,
        as port: Port.Type,
        _ make: () -> Port?
    ) -> UnsafeMutableRawPointer? {
        switch Request(rawValue: request) {
        case .handshake:
            return UnsafeMutableRawPointer(strdup(SideHandshake(ports: ports, port: port).text))
        case .type:
            return address(of: port)
        case .port:
            guard let place, let value = make() else { return nil }
            place.initializeMemory(as: Port.self, to: value)
            return place
        case nil:
            // A later kit's request.
            return nil
        }
    }

    /// Where a type's metadata is in this process. The runtime makes them once for each type.
    static func address(of type: Any.Type) -> UnsafeMutableRawPointer {
        unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }
}
