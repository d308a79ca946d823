#if Curl
/// Parses elements from a stream of bytes, block by block.
protocol BlockParser {
    associatedtype Element

    /// Appends the elements that the block completes; on an error, those that precede it.
    mutating func feed(_ block: some Sequence<UInt8>, into elements: inout [Element]) throws(CurlError)

    /// Appends the elements that the end of the stream completes.
    mutating func finish(into elements: inout [Element]) throws(CurlError)
}

/// A body's elements, one for each pull. An error follows the elements before it, and ends the sequence.
struct ParsedBlocks<Parser: BlockParser> {
    private(set) var parser: Parser
    /// The blocks; `nil` when no more are read: the transfer ends unless the body is referenced elsewhere.
    private var blocks: CurlBody.Iterator?
    /// Parsed elements that were not delivered yet, in reverse order.
    private var ready: [Parser.Element] = []
    private var failure: CurlError?

    init(_ body: CurlBody, parser: Parser) {
        blocks = body.makeAsyncIterator()
        self.parser = parser
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Parser.Element? {
        while true {
            if let element = ready.popLast() { return element }
            if let failure {
                self.failure = nil
                throw failure
            }
            guard blocks != nil else { return nil }
            do {
                parse(try await blocks?.next(isolation: actor))
            } catch {
                blocks = nil
                throw error
            }
        }
    }

    /// Ends the transfer, even if the body is still referenced.
    func discard() { blocks?.discard() }

    private mutating func parse(_ block: CurlBody.Element?) {
        do throws(CurlError) {
            if let block {
                try parser.feed(block, into: &ready)
            } else {
                blocks = nil
                try parser.finish(into: &ready)
            }
        } catch {
            discard()
            blocks = nil
            failure = error
        }
        ready.reverse()
    }
}
#endif
