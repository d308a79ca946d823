#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file in the making, beside the one whose place it takes. Dropped before it is complete, it leaves nothing.
struct DownloadFile: ~Copyable {
    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var isComplete = false

    /// - Throws: `file` when nothing can be written there.
    init(for path: String) throws(CurlError) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        self.path = path
        temporaryPath = "\(path[..<slash]).\(path[slash...]).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure("made", errno) }
    }

    deinit {
        close(descriptor)
        if !isComplete { unlink(temporaryPath) }
    }

    func write(_ bytes: CurlBytes) throws(CurlError) {
        let failed = bytes.withUnsafeBytes { bytes -> Int32? in
            var rest = bytes
            while !rest.isEmpty {
                #if canImport(Darwin)
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return nil
        }
        if let failed { throw Self.failure("written", failed) }
    }

    /// Brings the bytes to the disk, and the file to its place.
    mutating func complete() throws(CurlError) {
        guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
            throw Self.failure("completed", errno)
        }
        isComplete = true
    }

    private static func failure(_ what: String, _ error: Int32) -> CurlError {
        let reason = strerror(error).map { String(cString: $0) } ?? "error \(error)"
        return CurlError(.file, "the file could not be \(what): \(reason)", wasSent: true)
    }
}
