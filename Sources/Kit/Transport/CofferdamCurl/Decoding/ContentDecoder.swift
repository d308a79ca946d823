#if Curl
/// Decodes one coding of one body.
protocol ContentDecoder: AnyObject {
    /// Whether the body may end here: everything begun is complete, including checksums.
    var isComplete: Bool { get }

    /// Decodes until the input is used up and no output is pending, or the output is full. Afterwards both are cut to
    /// the part that is left, even after an error.
    func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: inout UnsafeMutableRawBufferPointer
    ) throws(CurlError)
}

extension ContentCodings.Coding {
    /// - Throws: when there is not enough memory.
    func makeDecoder() throws(CurlError) -> any ContentDecoder {
        switch self {
        case .gzip: try ZlibDecoder(.gzip)
        case .deflate: try ZlibDecoder(.deflate)
        #if os(Linux)
        case .brotli: try BrotliDecoder()
        case .zstandard: try ZstandardDecoder()
        #endif
        }
    }
}

extension CurlError {
    /// The body ends before its coding does.
    static let cutCoding = CurlError(.protocol, "the reply's body ends before its coding does", wasSent: true)
    static let brokenCoding = CurlError(.protocol, "the reply's body is invalid in its coding", wasSent: true)
    static let bytesAfterCoding = CurlError(.protocol, "the reply's body continues after its coding", wasSent: true)
    static let noMemoryToDecode = CurlError(.unknown, "there is no memory to decode the reply's body", wasSent: true)
}

extension UnsafeRawBufferPointer {
    mutating func drop(first count: Int) { self = UnsafeRawBufferPointer(rebasing: dropFirst(count)) }
}

extension UnsafeMutableRawBufferPointer {
    mutating func drop(first count: Int) { self = UnsafeMutableRawBufferPointer(rebasing: dropFirst(count)) }
}
#endif
