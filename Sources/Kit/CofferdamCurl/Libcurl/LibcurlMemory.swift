import CLibcurl
import Cofferdam

#if canImport(Glibc)
    import Glibc

    /// Keeps the buffers that libcurl allocates for each request and frees at its end.
    ///
    /// glibc returns the end of a thread's heap to the system when a block of this size is freed, so that the next
    /// request would pay for fresh pages. Everything here is allocated by `malloc`, so that `free` may release it too.
    enum LibcurlMemory {
        /// Whether blocks of this size, in bytes, are kept: libcurl's buffer to read a whole body. A stream lasts, and
        /// has larger ones.
        @inline(__always)
        private static func keeps(_ size: Int) -> Bool { size >= 16 << 10 && size <= 40 << 10 }

        private static var maximumCount: Int { 32 }

        // Safe: whoever takes a block out of `blocks` owns it alone.
        private struct Block: @unchecked Sendable {
            let start: UnsafeMutableRawPointer
            let size: Int
        }

        private static let blocks = Mutex<[Block]>([])

        static var keptCount: Int { blocks.withLock(\.count) }

        /// Initialises libcurl with these functions; it ignores them where other code has initialised it before.
        static func initialise() -> CURLcode {
            curl_global_init_mem(
                Int(CURL_GLOBAL_DEFAULT),
                { LibcurlMemory.allocate($0) },
                { LibcurlMemory.release($0) },
                { realloc($0, $1) },
                { text in text.flatMap { strdup($0) } },
                { calloc($0, $1) }
            )
        }

        static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
            guard keeps(size) else { return malloc(size) }
            let block = blocks.withLock { blocks -> Block? in
                // The most recently used one is in the processor's cache.
                guard let index = blocks.lastIndex(where: { (size...2 * size).contains($0.size) }) else { return nil }
                return blocks.remove(at: index)
            }
            return block?.start ?? malloc(size)
        }

        static func release(_ start: UnsafeMutableRawPointer?) {
            guard let start else { return }
            let size = cofferdam_usable_size(start)
            guard keeps(size) else { return free(start) }
            let block = Block(start: start, size: size)
            let isKept = blocks.withLock { blocks in
                guard blocks.count < maximumCount else { return false }
                blocks.append(block)
                return true
            }
            if !isKept { free(start) }
        }
    }
#endif
