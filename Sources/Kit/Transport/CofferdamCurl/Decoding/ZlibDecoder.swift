#if Curl
import CZlib

/// Decodes gzip (RFC 1952) and deflate: with a zlib wrapper, as HTTP requires (RFC 1950), or without, as some servers
/// send it (RFC 1951).
final class ZlibDecoder: ContentDecoder {
    enum Format { case gzip, deflate }

    private enum Wrapping: Int32 {
        // The values of zlib's `windowBits`.
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    private(set) var isComplete = false
    private let format: Format
    private var wrapping: Wrapping?
    /// The first byte of a deflate body, until the second one reveals its format.
    private var first: UInt8?
    /// How many bytes may follow a raw deflate body: some servers append the checksum of the zlib wrapper, which
    /// libcurl accepts.
    private var tolerated = 4
    /// Allocated, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ format: Format) throws(CurlError) {
        self.format = format
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        if format == .gzip { try begin(.gzip) }
    }

    deinit {
        // Returns an error for a stream that was not initialised, without further effect.
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: inout UnsafeMutableRawBufferPointer
    ) throws(CurlError) {
        if wrapping == nil {
            try recognise(&input)
            guard wrapping != nil else { return }
            if let first {
                // A placeholder: nothing is decoded into it yet.
                var byte = first
                try withUnsafeBytes(of: &byte) { (bytes) throws(CurlError) in
                    var bytes = bytes
                    try inflate(&bytes, into: &output)
                }
            }
        }
        try inflate(&input, into: &output)
    }

    /// Detects a zlib header (RFC 1950, section 2.2).
    private func recognise(_ input: inout UnsafeRawBufferPointer) throws(CurlError) {
        if first == nil, let byte = input.first {
            guard byte & 0x0F == 8, byte >> 4 <= 7 else { return try begin(.raw) }
            first = byte
            input.drop(first: 1)
        }
        guard let first, let second = input.first else { return }
        try begin((Int(first) << 8 | Int(second)) % 31 == 0 ? .zlib : .raw)
    }

    private func begin(_ wrapping: Wrapping) throws(CurlError) {
        guard cofferdam_inflate_init(stream, wrapping.rawValue) == Z_OK else { throw .noMemoryToDecode }
        self.wrapping = wrapping
    }

    private func inflate(
        _ input: inout UnsafeRawBufferPointer,
        into output: inout UnsafeMutableRawBufferPointer
    ) throws(CurlError) {
        while true {
            if isComplete {
                guard let next = input.first else { return }
                try goOn(after: &input, with: next)
                if isComplete { return }
            }
            let result = step(&input, into: &output)
            switch result {
            case Z_STREAM_END: isComplete = true
            // Z_BUF_ERROR means that there was nothing to do.
            case Z_OK, Z_BUF_ERROR: if input.isEmpty || output.isEmpty { return }
            case Z_MEM_ERROR: throw .noMemoryToDecode
            default: throw .brokenCoding
            }
        }
    }

    private func step(
        _ input: inout UnsafeRawBufferPointer,
        into output: inout UnsafeMutableRawBufferPointer
    ) -> Int32 {
        let (given, room) = (min(input.count, 1 << 30), min(output.count, 1 << 30))
        // zlib only reads the input.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room)
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        input.drop(first: given - Int(stream.pointee.avail_in))
        output.drop(first: room - Int(stream.pointee.avail_out))
        // The pointers are valid only during the call.
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        return result
    }

    /// Continues after the end of a member: gzip allows several (RFC 1952, section 2.2).
    private func goOn(after input: inout UnsafeRawBufferPointer, with next: UInt8) throws(CurlError) {
        if wrapping == .gzip, next == 0x1F {
            guard inflateReset(stream) == Z_OK else { throw .noMemoryToDecode }
            isComplete = false
        } else if wrapping == .raw, input.count <= tolerated {
            tolerated -= input.count
            input.drop(first: input.count)
        } else {
            throw .bytesAfterCoding
        }
    }
}
#endif
