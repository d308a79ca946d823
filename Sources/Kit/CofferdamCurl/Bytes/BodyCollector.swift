/// Puts a whole body together: an array while it is small, a block of the pool when it is not.
struct BodyCollector {
    /// What a server announces is believed up to this size, in bytes.
    private static let believed = 1 << 20

    private let pool: BlockPool
    private var array: [UInt8] = []
    private var block: ByteBlock?
    private(set) var count = 0

    init(pool: BlockPool) { self.pool = pool }

    /// Makes room for a body of that length, as far as it can be believed.
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

    /// What was collected, without copying it; then there is nothing more to be appended.
    mutating func take() -> CurlBytes {
        if let block { CurlBytes(block, count: count) } else { CurlBytes(array) }
    }

    /// The block, larger when need be, with all that was collected.
    private mutating func block(atLeast needed: Int) -> ByteBlock {
        if let block, needed <= block.capacity { return block }
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
