#if Curl
/// Collects a whole body: small bodies in an array, larger ones in a block from the pool.
struct BodyCollector {
    /// The largest announced length, in bytes, for which memory is reserved in advance.
    private static let believed = 1 << 20

    private let pool: BlockPool
    private var array: [UInt8] = []
    private var block: ByteBlock?
    private(set) var count = 0

    init(pool: BlockPool) { self.pool = pool }

    /// Reserves memory for a body of `length` bytes, up to `believed`.
    mutating func expect(_ length: Int) {
        let length = min(length, Self.believed)
        if length < BlockPool.smallestBlock {
            array.reserveCapacity(length)
        } else {
            block = pool.block(atLeast: length)
        }
    }

    mutating func append(_ chunk: UnsafeRawBufferPointer) {
        let needed = count + chunk.count
        if block == nil, needed < BlockPool.smallestBlock {
            array.append(contentsOf: chunk)
        } else {
            let block = block(atLeast: needed)
            UnsafeMutableRawBufferPointer(start: block.start + count, count: chunk.count).copyMemory(from: chunk)
        }
        count = needed
    }

    /// Returns the collected bytes without copying them. Nothing can be appended afterwards.
    mutating func take() -> CurlBytes {
        if let block { CurlBytes(block, count: count) } else { CurlBytes(array) }
    }

    /// Returns the block, grown if necessary, with everything collected so far.
    private mutating func block(atLeast needed: Int) -> ByteBlock {
        if let block, needed <= block.capacity { return block }
        if let block, block.capacity >= BlockPool.largestKept {
            block.grow(to: max(needed, 2 * block.capacity))
            return block
        }
        let larger = pool.block(atLeast: max(needed, 2 * count))
        let target = UnsafeMutableRawBufferPointer(start: larger.start, count: count)
        if let block {
            target.copyMemory(from: UnsafeRawBufferPointer(start: block.start, count: count))
        } else {
            target.copyBytes(from: array)
            array = []
        }
        block = larger
        return larger
    }
}
#endif
