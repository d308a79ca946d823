#if Curl
import CLibcurl
import Cofferdam

#if canImport(Glibc)
import Glibc

/// Memory functions for libcurl: `malloc` and `free`, but libcurl's buffers are kept from one request to the next.
///
/// libcurl frees a request's buffer at its end. For a block of this size glibc then returns the end of the thread's
/// heap to the system, and the next request would pay for fresh pages.
enum LibcurlMemory {
    private static let buffers = KeptBuffers()

    /// Initialises libcurl with these functions; it ignores them if other code has already initialised it.
    static func initialise() -> CURLcode {
        curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { size in
                guard KeptBuffers.keeps(size) else { return malloc(size) }
                return LibcurlMemory.buffers.take(size)
            },
            { start in
                guard let start else { return }
                let size = cofferdam_usable_size(start)
                guard KeptBuffers.keeps(size) else { return free(start) }
                LibcurlMemory.buffers.give(start, size: size)
            },
            { realloc($0, $1) },
            { text in text.flatMap { strdup($0) } },
            { calloc($0, $1) }
        )
    }
}

/// Unused buffers, allocated by `malloc`, so that `free` may release them too.
final class KeptBuffers: Sendable {
    // Safe: a block is in the list once, and the caller that takes it out owns it alone.
    private struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let size: Int
    }

    /// The maximum number of buffers to keep.
    static var maximumCount: Int { 32 }

    private let blocks = Mutex<[Block]>([])

    deinit { blocks.withLock { $0.forEach { free($0.start) } } }

    /// Whether blocks of this size, in bytes, are kept: that of libcurl's buffer for reading a whole body. Streams
    /// use larger ones, for longer.
    @inline(__always)
    static func keeps(_ size: Int) -> Bool { size >= 16 << 10 && size <= 40 << 10 }

    var count: Int { blocks.withLock(\.count) }

    /// Returns a block of at least `size` bytes; `nil` if the system has no memory left.
    func take(_ size: Int) -> UnsafeMutableRawPointer? {
        let block = blocks.withLock { blocks -> Block? in
            // The most recently used one is in the processor's cache.
            guard let index = blocks.lastIndex(where: { (size...2 * size).contains($0.size) }) else { return nil }
            return blocks.remove(at: index)
        }
        return block?.start ?? malloc(size)
    }

    /// Keeps the block, or frees it when there are enough.
    func give(_ start: UnsafeMutableRawPointer, size: Int) {
        let block = Block(start: start, size: size)
        let isKept = blocks.withLock { blocks in
            guard blocks.count < Self.maximumCount else { return false }
            blocks.append(block)
            return true
        }
        if !isKept { free(start) }
    }
}
#endif
#endif
