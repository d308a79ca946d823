#if Curl
#if canImport(Glibc)
import Glibc
import Testing

@testable import CofferdamCurl

@Suite struct KeptBuffersTests {
    private let buffers = KeptBuffers()

    @Test func `a buffer is used again for the next request`() throws {
        let first = try #require(buffers.take(33_000))
        buffers.give(first, size: 33_000)
        let second = buffers.take(32_000)
        defer { free(second) }
        #expect(second == first)
        #expect(buffers.count == 0)
    }

    @Test(arguments: [17_000, 34_000])
    func `a buffer is not used for less than half its size, or for more`(
        size: Int
    ) throws {
        buffers.give(try #require(malloc(36_000)), size: size == 17_000 ? 36_000 : 33_000)
        let other = buffers.take(size)
        defer { free(other) }
        #expect(other != nil)
        #expect(buffers.count == 1)
    }

    @Test func `two requests at once have a buffer each`() throws {
        buffers.give(try #require(malloc(33_000)), size: 33_000)
        let (first, second) = (buffers.take(33_000), buffers.take(33_000))
        defer { [first, second].forEach { free($0) } }
        #expect(first != nil && second != nil && first != second)
    }

    @Test func `no more are kept than the limit`() throws {
        for _ in 0..<2 * KeptBuffers.maximumCount { buffers.give(try #require(malloc(33_000)), size: 33_000) }
        #expect(buffers.count == KeptBuffers.maximumCount)
    }

    @Test func `a whole body's buffer is kept, small blocks and a stream's are not`() {
        #expect(KeptBuffers.keeps((32 << 10) + 1))
        #expect(!KeptBuffers.keeps(4 << 10))
        #expect(!KeptBuffers.keeps(128 << 10))
    }
}
#endif
#endif
