#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The C entry of a side's dynamic library.
///
/// A side defines one C function, which passes its arguments on:
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
    static let symbol = "cofferdam_side"

    /// The C function's type: takes a request, and a place for the answer if the request needs one.
    typealias Function =
        @Sendable @convention(c) (Int32, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    /// A request of a host.
    enum Request: Int32 {
        /// The handshake as a C string, which the caller frees.
        case handshake = 0
        /// The address of the port's type in the side; a different address means a different copy of the ports' module.
        case type = 1
        /// A value of the port's type, written to the place; nil if there is none.
        case port = 2
    }

    /// Answers one request of a host.
    ///
    /// - Parameters:
    ///   - request: as the C function received it.
    ///   - place: as the C function received it.
    ///   - ports: the digest of the ports that the side was compiled against: see ``PortsDigest``.
    ///   - port: the port's type, which must be declared in the ports' module or in the standard library.
    ///   - make: returns a new port; nil if that is impossible. It runs once for each ``SideLibrary/port(as:)``, on the
    ///     caller's thread, and also in the child process of a ``SideProbe``. So let the port open its SDK in its first
    ///     call.
    /// - Returns: the value for the C function to return.
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

    /// Returns the address of a type's metadata in this process. The runtime creates it once for each type.
    static func address(of type: Any.Type) -> UnsafeMutableRawPointer {
        unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
    }
}
