#if Curl
import Cofferdam

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A block of memory that returns to its pool when the last reference is released.
// Safe: only its creator writes to a block, before sharing it; afterwards it is only read. A pool reuses memory only
// when no block holds it.
final class ByteBlock: @unchecked Sendable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private let pool: BlockPool?

    fileprivate init(start: UnsafeMutableRawPointer, capacity: Int, pool: BlockPool?) {
        self.start = start
        self.capacity = capacity
        self.pool = pool
    }

    /// Creates a block that belongs to no pool.
    convenience init(capacity: Int) {
        self.init(start: BlockPool.allocate(max(1, capacity)), capacity: capacity, pool: nil)
    }

    /// Grows the block in place, before it is shared. The system moves a large block's pages rather than its bytes:
    /// copying hundreds of megabytes would hold up the thread's other tasks.
    func grow(to larger: Int) {
        guard larger > capacity else { return }
        if let moved = realloc(start, larger) {
            start = moved
        } else {
            let copy = BlockPool.allocate(larger)
            copy.copyMemory(from: start, byteCount: capacity)
            free(start)
            start = copy
        }
        capacity = larger
    }

    deinit {
        if let pool { pool.takeBack(start, capacity: capacity) } else { free(start) }
    }
}

/// Keeps the memory of large bodies for reuse.
///
/// The system's allocator returns blocks of this size to the kernel each time, so the next body would pay for fresh
/// pages: one page fault every 4 KB.
final class BlockPool: Sendable {
    /// Bodies up to this size, in bytes, are plain arrays.
    static let smallestBlock = 32 << 10
    /// The largest block that is kept, in bytes.
    static let largestKept = smallestBlock << 7

    // Safe: the pool alone owns the memory these pointers refer to.
    private struct Memory: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
    }

    private struct State {
        /// Free blocks by power of two, from `smallestBlock` to `largestKept`.
        var free: [[Memory]] = Array(repeating: [], count: 8)
        var keptBytes = 0
    }

    private let state = Mutex(State())
    private let maximumKeptBytes: Int

    /// - Parameter maximumKeptBytes: the maximum amount of unused memory to keep, in bytes.
    init(maximumKeptBytes: Int) { self.maximumKeptBytes = maximumKeptBytes }

    deinit {
        state.withLock { state in
            for memory in state.free.joined() { free(memory.start) }
        }
    }

    /// Returns an uninitialised block of at least `count` bytes.
    func block(atLeast count: Int) -> ByteBlock {
        let rank = Self.rank(of: count)
        let capacity = Self.smallestBlock << rank
        let kept = state.withLock { state -> Memory? in
            guard state.free.indices.contains(rank), let memory = state.free[rank].popLast() else { return nil }
            state.keptBytes -= capacity
            return memory
        }
        let start = kept?.start ?? Self.allocate(capacity)
        return ByteBlock(start: start, capacity: capacity, pool: self)
    }

    fileprivate func takeBack(_ start: UnsafeMutableRawPointer, capacity: Int) {
        let rank = Self.rank(of: capacity)
        let memory = Memory(start: start)
        let isKept = state.withLock { state in
            guard state.free.indices.contains(rank), state.keptBytes + capacity <= maximumKeptBytes else {
                return false
            }
            state.keptBytes += capacity
            state.free[rank].append(memory)
            return true
        }
        if !isKept { free(start) }
    }

    /// Allocates memory for `free` and `realloc`. Like Swift's own allocation, it traps if the system has none left.
    fileprivate static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let start = malloc(count) else { return .allocate(byteCount: count, alignment: 16) }
        return start
    }

    /// The size of the unused memory, in bytes.
    var keptBytes: Int { state.withLock { $0.keptBytes } }

    private static func rank(of count: Int) -> Int {
        let blocks = max(1, (count + smallestBlock - 1) / smallestBlock)
        return blocks == 1 ? 0 : Int.bitWidth - (blocks - 1).leadingZeroBitCount
    }
}
#endif
