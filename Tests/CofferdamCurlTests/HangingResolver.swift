#if Curl
#if os(Linux)
import Cofferdam

#if canImport(Glibc)
public import Glibc  // the C function's own types
#elseif canImport(Musl)
public import Musl  // the C function's own types
#endif

/// Names below `hanging.invalid` fail to resolve, and only when told: libcurl's resolver finds this process's own
/// `getaddrinfo` before the C library's, if the linker exports it (`--export-dynamic-symbol=getaddrinfo`).
enum HangingResolver {
    static let isInPlace: Bool = {
        guard let symbol = dlsym(nil, "getaddrinfo") else { return false }
        // The C library's own refuses these flags at once.
        var hints = addrinfo()
        hints.ai_flags = -1
        return unsafeBitCast(symbol, to: Function.self)(probe, nil, &hints, nil) == found
    }()

    fileprivate static let probe = "probe.hanging.invalid"
    fileprivate static let found: Int32 = 4242

    fileprivate typealias Function =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
            UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
        ) -> Int32

    private static let state = Mutex<(waiting: Int, gate: Gate)>((0, Gate()))
    /// The number of look-ups that have started.
    static let lookUps = Count()

    /// Lets all look-ups end, including later ones.
    static func open() { state.withLock { $0.gate }.open() }

    /// Ends the look-ups that hang now.
    static func release() {
        let gate = state.withLock { state in
            defer { state.gate = Gate() }
            return state.gate
        }
        gate.open()
    }

    fileprivate static func block() {
        let gate = state.withLock { $0.gate }
        lookUps.add()
        gate.block()
    }
}

@_cdecl("getaddrinfo")
public func getAddressInformation(
    _ name: UnsafePointer<CChar>?,
    _ service: UnsafePointer<CChar>?,
    _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
    if let name, case let name = String(cString: name), name.hasSuffix("hanging.invalid") {
        if name == HangingResolver.probe { return HangingResolver.found }
        HangingResolver.block()
        return EAI_NONAME
    }
    // RTLD_NEXT.
    guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo") else { return EAI_SYSTEM }
    return unsafeBitCast(symbol, to: HangingResolver.Function.self)(name, service, hints, result)
}
#endif
#endif
