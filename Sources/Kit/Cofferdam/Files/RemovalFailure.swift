#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that could neither be removed nor cut to nothing.
package struct RemovalFailure: Error, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package var description: String { "\(path) cannot be removed: \(String(cString: strerror(code)))" }
}
