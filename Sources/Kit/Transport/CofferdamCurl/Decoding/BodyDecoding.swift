#if Curl
/// Decodes a body's content codings, in steps no larger than requested.
///
/// Nothing is decoded ahead: between two steps there is at most one block between one coding and the next.
struct BodyDecoding {
    enum Step {
        /// Some of the body.
        case bytes(CurlBytes)
        /// Input was consumed, but no output was produced yet.
        case progress
        case needsInput
        case end
    }

    private struct Stage {
        let decoder: any ContentDecoder
        var source = CurlBytes()
        /// The number of bytes of the source that have been decoded.
        var offset = 0
        /// Whether the decoder filled its last output block and may hold more output.
        var mayHoldMore = false
        var failure: CurlError?

        var hasWork: Bool { offset < source.count || mayHoldMore || failure != nil }

        mutating func decode(into output: inout UnsafeMutableRawBufferPointer) {
            let left: Int
            (left, failure) = source.withUnsafeBytes { [offset, decoder] source in
                var input = UnsafeRawBufferPointer(rebasing: source[offset...])
                do throws(CurlError) {
                    try decoder.decode(&input, into: &output)
                    return (input.count, nil)
                } catch {
                    return (input.count, error)
                }
            }
            offset = source.count - left
            mayHoldMore = output.isEmpty
            guard left == 0 else { return }
            source = CurlBytes()
            offset = 0
        }
    }

    /// Up to this size, in bytes, a copy is cheaper than giving a block away.
    private static let smallest = 4 << 10

    private let codings: ContentCodings
    private let pool: BlockPool
    /// The decoders in order of application; created when there is something to decode.
    private var stages: [Stage] = []
    private var hasInput = false
    private var hasEnded = false

    init(_ codings: ContentCodings, pool: BlockPool) {
        self.codings = codings
        self.pool = pool
    }

    /// Whether there is output to produce without further input.
    var hasWork: Bool { stages.contains { $0.hasWork } }

    /// Takes the next block once everything before it is decoded; `nil` at the body's end.
    ///
    /// - Throws: `protocol` when the codings cannot be decoded.
    mutating func feed(_ block: CurlBytes?) throws(CurlError) {
        guard let block else {
            hasEnded = true
            return
        }
        guard block.count > 0 else { return }
        if !hasInput {
            if let refusal = codings.refusal { throw refusal }
            for coding in codings.codings.reversed() { stages.append(Stage(decoder: try coding.makeDecoder())) }
            hasInput = true
        }
        stages[0].source = block
        stages[0].offset = 0
    }

    /// Decodes until `count` bytes are produced or the available input is used up.
    ///
    /// - Throws: `protocol` for malformed input, after the output that precedes it.
    mutating func step(upTo count: Int) throws(CurlError) -> Step {
        for index in stages.indices.reversed() where stages[index].hasWork {
            guard let bytes = try decode(at: index, upTo: count) else { continue }
            guard index + 1 < stages.count else { return .bytes(bytes) }
            stages[index + 1].source = bytes
            stages[index + 1].offset = 0
            return .progress
        }
        guard hasEnded else { return .needsInput }
        guard stages.allSatisfy({ $0.decoder.isComplete }) else { throw .cutCoding }
        return .end
    }

    /// Releases the decoders' memory; nothing can be fed or decoded afterwards.
    mutating func close() { stages = [] }

    /// Returns the decoder's output; `nil` when there is none.
    private mutating func decode(at index: Int, upTo count: Int) throws(CurlError) -> CurlBytes? {
        if let failure = stages[index].failure { throw failure }
        let block = pool.block(atLeast: count)
        var output = UnsafeMutableRawBufferPointer(start: block.start, count: count)
        stages[index].decode(into: &output)
        let decoded = count - output.count
        guard decoded > 0 else {
            if let failure = stages[index].failure { throw failure }
            return nil
        }
        guard decoded > Self.smallest else {
            return CurlBytes(Array(UnsafeRawBufferPointer(start: block.start, count: decoded)))
        }
        return CurlBytes(block, count: decoded)
    }
}
#endif
