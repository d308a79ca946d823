#if Curl
/// A request's body.
public struct CurlRequestBody: Sendable {
    /// Produces the body, block by block.
    typealias Producer = @Sendable (_ put: @Sendable (CurlBytes) async throws -> Void) async throws -> Void

    enum Content: Sendable {
        case bytes(CurlBytes)
        case file(path: String)
        case stream(length: Int?, produce: Producer)
    }

    let content: Content

    private init(_ content: Content) { self.content = content }

    /// No body.
    public static let empty = CurlRequestBody(.bytes([]))

    /// A body in memory, which is not copied.
    public static func bytes(_ bytes: CurlBytes) -> CurlRequestBody { CurlRequestBody(.bytes(bytes)) }

    /// A body in memory, copied once.
    public static func bytes(_ bytes: some Collection<UInt8>) -> CurlRequestBody {
        CurlRequestBody(.bytes(CurlBytes(copying: bytes)))
    }

    /// The content of a file, read while it is sent. A file that cannot be read throws `invalidRequest`; one that is
    /// truncated or grows meanwhile throws `requestBody`.
    public static func file(_ path: String) -> CurlRequestBody { CurlRequestBody(.file(path: path)) }

    /// A sequence of blocks, pulled as libcurl sends them, at most 256 KB ahead. The body can be sent once: the request
    /// is neither retried nor redirected with its body. An error thrown by the sequence ends the request, which
    /// rethrows it.
    ///
    /// - Parameter length: the length in bytes, where known; then more or fewer bytes end the request with
    ///   `requestBody`, and the last block is sent once the sequence has ended. For 0 the sequence is not read. Without
    ///   a length the body is sent in chunks.
    public static func stream<Blocks: AsyncSequence & Sendable>(
        length: Int? = nil,
        _ blocks: Blocks
    ) -> CurlRequestBody where Blocks.Element: Collection<UInt8> {
        CurlRequestBody(
            .stream(length: length) { put in
                for try await block in blocks { try await put(CurlBytes(copying: block)) }
            }
        )
    }

    /// Whether the body is known to be empty.
    var isEmpty: Bool {
        if case .bytes(let bytes) = content { bytes.isEmpty } else { false }
    }

    /// The size in bytes; `nil` when it is unknown.
    ///
    /// - Throws: `invalidRequest` for a file that cannot be read, and for a length below 0.
    var size: Int? {
        get throws(CurlError) {
            switch content {
            case .bytes(let bytes): return bytes.count
            case .file(let path): return try FileUpload.size(of: path)
            case .stream(let length, _):
                if let length, length < 0 {
                    throw CurlError(.invalidRequest, "the length of the request's body is negative", wasSent: false)
                }
                return length
            }
        }
    }

    /// The size in bytes, where it is known without looking at a file.
    var knownSize: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file: nil
        case .stream(let length, _): length
        }
    }

    /// Whether the body can be sent again.
    var isReplayable: Bool {
        if case .stream = content { false } else { true }
    }
}
#endif
