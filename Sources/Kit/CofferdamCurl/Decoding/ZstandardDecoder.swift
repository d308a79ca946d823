#if os(Linux)
    import CZstandard

    /// zstd (RFC 8878), one frame or several.
    final class ZstandardDecoder: ContentDecoder {
        /// 8 MB, which RFC 9659 has as the most in HTTP: so much memory does a frame take.
        private static let largestWindow: Int32 = 23

        private(set) var isComplete = false
        private let context: OpaquePointer

        init() throws(CurlError) {
            guard let context = ZSTD_createDCtx() else { throw .noMemoryToDecode }
            self.context = context
            guard ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindow)) == 0 else {
                throw .noMemoryToDecode
            }
        }

        deinit { ZSTD_freeDCtx(context) }

        func decode(
            _ input: inout UnsafeRawBufferPointer,
            into output: inout UnsafeMutableRawBufferPointer
        ) throws(CurlError) {
            // It would begin another frame.
            if isComplete, input.isEmpty { return }
            repeat {
                let isBetweenFrames = isComplete
                var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let wanted = ZSTD_decompressStream(context, &target, &source)
                input.drop(first: source.pos)
                output.drop(first: target.pos)
                guard ZSTD_isError(wanted) == 0 else { throw isBetweenFrames ? .bytesAfterCoding : .brokenCoding }
                isComplete = wanted == 0
            } while !input.isEmpty && !output.isEmpty
        }
    }
#endif
