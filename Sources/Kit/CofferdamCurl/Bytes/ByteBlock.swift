import Cofferdam

/// A piece of memory that goes back to its pool when the last who holds it lets go.
// Proof: a block is written by the one who made it, before anybody else gets it, and only read afterwards. A pool hands
// memory out only when no block holds it.
final class ByteBlock: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int
    private let pool: BlockPool?

    fileprivate init(start: UnsafeMutableRawPointer, capacity: Int, pool: BlockPool?) {
        self.start = start
        self.capacity = capacity
        self.pool = pool
    }

    /// A block of no pool.
    convenience init(capacity: Int) {
        self.init(start: .allocate(byteCount: max(1, capacity), alignment: 16), capacity: capacity, pool: nil)
    }

    deinit {
        if let pool { pool.takeBack(start, capacity: capacity) } else { start.deallocate() }
    }
}

/// Keeps the memory of large bodies for the next one.
///
/// The system's allocator gives blocks of this size back to the kernel each time, and the next body pays for fresh
/// pages, one fault each 4 KB.
final class BlockPool: Sendable {
    /// Bodies up to this size are plain arrays.
    static let smallestBlock = 32 << 10

    // Proof: the memory of a pointer in here belongs to the pool alone.
    private struct Memory: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
    }

    private struct State {
        /// By power of two, from `smallestBlock` to 4 MiB; larger ones are not kept.
        var free: [[Memory]] = Array(repeating: [], count: 8)
        var keptBytes = 0
    }

    private let state = Mutex(State())
    private let maximumKeptBytes: Int

    /// - Parameter maximumKeptBytes: how much memory that nobody uses is kept.
    init(maximumKeptBytes: Int) { self.maximumKeptBytes = maximumKeptBytes }

    deinit {
        state.withLock { state in
            for memory in state.free.joined() { memory.start.deallocate() }
        }
    }

    /// A block of at least that many bytes, with anything in it.
    func block(atLeast count: Int) -> ByteBlock {
        let rank = Self.rank(of: count)
        let capacity = Self.smallestBlock << rank
        let kept = state.withLock { state -> Memory? in
            guard state.free.indices.contains(rank), let memory = state.free[rank].popLast() else { return nil }
            state.keptBytes -= capacity
            return memory
        }
        let start = kept?.start ?? .allocate(byteCount: capacity, alignment: 16)
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
        if !isKept { start.deallocate() }
    }

    /// How much memory is kept for the next block, in bytes.
    var keptBytes: Int { state.withLock { $0.keptBytes } }

    private static func rank(of count: Int) -> Int {
        let blocks = max(1, (count + smallestBlock - 1) / smallestBlock)
        return blocks == 1 ? 0 : Int.bitWidth - (blocks - 1).leadingZeroBitCount
    }
}
