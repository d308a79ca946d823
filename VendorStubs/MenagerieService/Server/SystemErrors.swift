#if Sandbox
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's error if another process listens at a port.
let addressInUse = EADDRINUSE
#endif
