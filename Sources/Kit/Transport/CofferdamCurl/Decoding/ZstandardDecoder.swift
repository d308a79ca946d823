#if Curl
#if os(Linux)
import CZstandard

/// Decodes zstd (RFC 8878), one frame or several.
final class ZstandardDecoder: ContentDecoder {
    /// 2 to the 23rd, 8 MB: the maximum window size in HTTP (RFC 9659), and the memory one frame needs.
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
        // A further call would begin another frame.
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

/// A frame's header, which is decoded separately: given the whole frame, the library would also accept older
/// formats, which HTTP does not allow, and windows beyond the limit.
private struct FrameHead {
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    /// The lower half of the first byte is arbitrary (RFC 8878, section 3.1.2).
    private static let skippableMagic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]

    /// Whether the bytes so far can begin a frame.
    private(set) var isValid = true
    private var count = 0
    /// The header's length; until the descriptor is known, the length up to and including it.
    private var length = 5
    private var isSkippable = false

    /// - Returns: how many of the bytes belong to the header.
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

    /// The length of the window descriptor, dictionary id and content size (RFC 8878, section 3.1.1.1).
    private static func lengthOfFields(after descriptor: UInt8) -> Int {
        let hasOneSegment = descriptor & 0x20 != 0
        let dictionary = [0, 1, 2, 4][Int(descriptor & 3)]
        let size = [hasOneSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        return (hasOneSegment ? 0 : 1) + dictionary + size
    }
}
#endif
#endif
