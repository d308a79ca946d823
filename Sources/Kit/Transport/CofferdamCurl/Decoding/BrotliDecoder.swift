#if Curl
#if os(Linux)
import CBrotli

/// Decodes br (RFC 7932).
final class BrotliDecoder: ContentDecoder {
    private(set) var isComplete = false
    private let state: OpaquePointer

    init() throws(CurlError) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemoryToDecode }
        self.state = state
    }

    deinit { BrotliDecoderDestroyInstance(state) }

    func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: inout UnsafeMutableRawBufferPointer
    ) throws(CurlError) {
        if !isComplete {
            var (given, room) = (input.count, output.count)
            var source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let result = BrotliDecoderDecompressStream(state, &given, &source, &room, &target, nil)
            input.drop(first: input.count - given)
            output.drop(first: output.count - room)
            switch result {
            case BROTLI_DECODER_RESULT_SUCCESS: isComplete = true
            case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return
            default: throw .brokenCoding
            }
        }
        guard input.isEmpty else { throw .bytesAfterCoding }
    }
}
#endif
#endif
