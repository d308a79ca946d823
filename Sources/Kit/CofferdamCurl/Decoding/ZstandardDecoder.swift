#if os(Linux)
    import CZstandard

    /// zstd (RFC 8878), one frame or several.
    final class ZstandardDecoder: ContentDecoder {
        /// 8 MB, which RFC 9659 has as the most in HTTP: so much memory does a frame take.
        private static let largestWindow: Int32 = 23

        private(set) var isComplete = false
        private let context: OpaquePointer
        private var head = FrameHead()
        private var isFirstFrame = true

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
                let headLength = head.append(input)
                guard head.isValid else { throw isFirstFrame ? .brokenCoding : .bytesAfterCoding }
                let given = headLength > 0 ? headLength : input.count
                var source = ZSTD_inBuffer(src: input.baseAddress, size: given, pos: 0)
                var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                let wanted = ZSTD_decompressStream(context, &target, &source)
                input.drop(first: source.pos)
                output.drop(first: target.pos)
                guard ZSTD_isError(wanted) == 0 else { throw .brokenCoding }
                isComplete = wanted == 0
                if isComplete {
                    isFirstFrame = false
                    head = FrameHead()
                }
            } while !input.isEmpty && !output.isEmpty
        }
    }

    /// The bytes of a frame's head, which are decoded by themselves: what the library has whole it also takes in older
    /// formats, which HTTP does not have, and with a window beyond the limit.
    private struct FrameHead {
        private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        /// Its first byte's lower half is the sender's own (RFC 8878, section 3.1.2).
        private static let skippableMagic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]

        /// Whether it begins as a frame does, as far as it is known.
        private(set) var isValid = true
        private var count = 0
        /// Until the descriptor is known, up to and with it.
        private var length = 5
        private var isSkippable = false

        /// - Returns: how many of the bytes belong to the head.
        mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
            let before = count
            for byte in bytes {
                guard count < length, isValid else { break }
                take(byte)
            }
            return count - before
        }

        private mutating func take(_ byte: UInt8) {
            if count == 0 { isSkippable = byte & 0xF0 == Self.skippableMagic[0] }
            switch count {
            case 0 where isSkippable: length = 8
            case ..<4: isValid = byte == (isSkippable ? Self.skippableMagic : Self.magic)[count]
            case 4 where !isSkippable: length += Self.lengthOfFields(after: byte)
            default: break
            }
            count += 1
        }

        /// RFC 8878, section 3.1.1.1: the window's descriptor, the dictionary's number, the content's size.
        private static func lengthOfFields(after descriptor: UInt8) -> Int {
            let hasOneSegment = descriptor & 0x20 != 0
            let dictionary = [0, 1, 2, 4][Int(descriptor & 3)]
            let size = [hasOneSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
            return (hasOneSegment ? 0 : 1) + dictionary + size
        }
    }
#endif
