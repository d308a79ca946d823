#if Curl
import CLibcurl

#if canImport(Glibc)
import Glibc

/// Memory functions for libcurl: `malloc` and `free`, but a loop's thread keeps the blocks that libcurl frees there.
///
/// libcurl allocates some forty blocks for each request and frees half of them only when it uses the handle again. glibc
/// caches seven blocks of a size for a thread; with more requests at once, the rest go the long way, through a heap that
/// other threads lock. After a buffer for reading is freed, it even returns the end of that heap to the system, and the
/// next request would pay for fresh pages.
enum LibcurlMemory {
    /// Initialises libcurl with these functions; it ignores them if other code has already initialised it.
    static func initialise() -> CURLcode {
        KeptBlocks.makeKey()
        return curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { KeptBlocks.ofThread?.take($0) ?? malloc($0) },
            { start in
                guard let start, KeptBlocks.ofThread?.give(start) != true else { return }
                free(start)
            },
            { KeptBlocks.ofThread?.resize($0, to: $1) ?? realloc($0, $1) },
            { text in
                guard let text else { return nil }
                let size = strlen(text) + 1
                guard let copy = KeptBlocks.ofThread?.take(size) else { return strdup(text) }
                return memcpy(copy, text, size).assumingMemoryBound(to: CChar.self)
            },
            { count, size in
                let (total, isOver) = count.multipliedReportingOverflow(by: size)
                guard !isOver, let start = KeptBlocks.ofThread?.take(total) else { return calloc(count, size) }
                return memset(start, 0, total)
            }
        )
    }
}

/// Unused blocks of one thread, in a list for each size. `malloc` allocated them, so that `free` may release them too, on
/// any thread.
struct KeptBlocks {
    private struct Lists {
        /// The first block of each list, which begins with the address of the next one.
        let first: UnsafeMutablePointer<UnsafeMutableRawPointer?>
        /// The size of all blocks together, in bytes.
        var size = 0
    }

    /// The maximum size of all blocks together, in bytes; buffers for reading are kept up to half of it.
    static var maximumSize: Int { 2 << 20 }

    private let lists: UnsafeMutablePointer<Lists>

    init() {
        let first = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: Self.bufferRank + 1)
        first.initialize(repeating: nil, count: Self.bufferRank + 1)
        lists = .allocate(capacity: 1)
        lists.initialize(to: Lists(first: first))
    }

    /// Frees everything.
    func end() {
        for rank in 0...Self.bufferRank { while let block = take(rank: rank) { free(block) } }
        lists.pointee.first.deallocate()
        lists.deallocate()
    }

    /// The size of all blocks together, in bytes.
    var size: Int { lists.pointee.size }

    /// Returns a block of at least `size` bytes; `nil` if there is none.
    func take(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let rank = Self.rank(ofRequest: size) else { return nil }
        // glibc gives 16 bytes more where they would be too few for another block.
        return take(rank: rank) ?? (rank < Self.bufferRank - 1 ? take(rank: rank + 1) : nil)
    }

    private func take(rank: Int) -> UnsafeMutableRawPointer? {
        guard let block = lists.pointee.first[rank] else { return nil }
        lists.pointee.first[rank] = block.load(as: UnsafeMutableRawPointer?.self)
        lists.pointee.size -= Self.size(ofRank: rank)
        return block
    }

    /// - Returns: whether the block is kept.
    func give(_ block: UnsafeMutableRawPointer) -> Bool {
        guard let rank = Self.rank(ofBlock: cofferdam_usable_size(block)) else { return false }
        let size = lists.pointee.size + Self.size(ofRank: rank)
        guard size <= (rank == Self.bufferRank ? Self.maximumSize / 2 : Self.maximumSize) else { return false }
        block.storeBytes(of: lists.pointee.first[rank], as: UnsafeMutableRawPointer?.self)
        lists.pointee.first[rank] = block
        lists.pointee.size = size
        return true
    }

    /// Moves a block's bytes to a larger one; `nil` if there is none.
    func resize(_ block: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer? {
        guard let block else { return take(size) }
        let old = cofferdam_usable_size(block)
        guard size > old, let larger = take(size) else { return nil }
        memcpy(larger, block, old)
        if !give(block) { free(block) }
        return larger
    }

    // MARK: Sizes

    // glibc's blocks have 24 bytes and multiples of 16 more.
    private static var smallest: Int { 24 }
    /// The rank of libcurl's buffers for reading a whole body. Streams use larger ones, for longer.
    private static var bufferRank: Int { 128 }
    private static var bufferSize: Int { HandleUse.whole.bufferSize + 1 }

    private static func size(ofRank rank: Int) -> Int { rank == bufferRank ? bufferSize : smallest + rank * 16 }

    /// The list whose blocks are large enough; `nil` if blocks of this size are not kept.
    private static func rank(ofRequest size: Int) -> Int? {
        guard size >= 0 else { return nil }
        let rank = (max(size, smallest) - smallest + 15) / 16
        if rank < bufferRank { return rank }
        return size > bufferSize / 2 && size <= bufferSize ? bufferRank : nil
    }

    private static func rank(ofBlock size: Int) -> Int? {
        guard size >= smallest else { return nil }
        let rank = (size - smallest) / 16
        if rank < bufferRank { return rank }
        return size >= bufferSize && size < bufferSize + bufferSize / 4 ? bufferRank : nil
    }

    // MARK: The thread's own

    // Not a constant, which would cost a call of `swift_once` for each block. Safe: written once, while libcurl is
    // initialised, and read after that: by libcurl's functions, and by threads that have initialised it.
    private nonisolated(unsafe) static var key: pthread_key_t?

    fileprivate static func makeKey() {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { lists in
            lists.map { KeptBlocks(lists: $0.assumingMemoryBound(to: Lists.self)) }?.end()
        }
        if result == 0 { self.key = key }
    }

    private init(lists: UnsafeMutablePointer<Lists>) { self.lists = lists }

    /// Lets the calling thread keep blocks until it ends.
    static func useOnThread() {
        guard GlobalInitialisation.result == CURLE_OK, let key else { return }
        let blocks = KeptBlocks()
        if pthread_setspecific(key, blocks.lists) != 0 { blocks.end() }
    }

    /// `nil` on a thread that keeps none.
    static var ofThread: KeptBlocks? {
        guard let key, let lists = pthread_getspecific(key) else { return nil }
        return KeptBlocks(lists: lists.assumingMemoryBound(to: Lists.self))
    }
}
#endif
#endif
