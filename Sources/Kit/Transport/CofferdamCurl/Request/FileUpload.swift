#if Curl
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file as a request's body.
enum FileUpload {
    private static let blockSize = 128 << 10

    /// - Throws: `invalidRequest` when the file is missing or not a regular file.
    static func size(of path: String) throws(CurlError) -> Int {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw CurlError(.invalidRequest, "the file of the request's body cannot be read", wasSent: false)
        }
        return Int(information.st_size)
    }

    static func send(_ path: String, to put: @Sendable (CurlBytes) async throws -> Void) async throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure }
        defer { close(file) }
        while true {
            let block = ByteBlock(capacity: blockSize)
            let count = read(file, block.start, block.capacity)
            guard count >= 0 else { throw failure }
            guard count > 0 else { return }
            try await put(CurlBytes(block, count: count))
        }
    }

    private static var failure: CurlError {
        CurlError(.requestBody, "the file of the request's body cannot be read", wasSent: true)
    }
}
#endif
