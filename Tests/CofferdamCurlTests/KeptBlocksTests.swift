#if Curl
#if canImport(Glibc)
import CLibcurl
import Glibc
import Testing

@testable import CofferdamCurl

private let isGlibcs: Bool = {
    let block = malloc(1)
    defer { free(block) }
    return block.map { cofferdam_usable_size($0) } == 24
}()

@Suite(.enabled(if: isGlibcs, "a sanitizer's malloc has blocks of other sizes"))
struct KeptBlocksTests {
    private static let buffer = HandleUse.whole.bufferSize + 1

    /// Runs `body` with blocks that are freed afterwards.
    private func withBlocks(_ body: (KeptBlocks) throws -> Void) rethrows {
        let blocks = KeptBlocks()
        defer { blocks.end() }
        try body(blocks)
    }

    @Test(arguments: [1, 24, 25, 752, 1496, 2000, buffer])
    func `a block is used again for a request of its size`(size: Int) throws {
        try withBlocks { blocks in
            let first = try #require(malloc(size))
            try #require(blocks.give(first))
            #expect(blocks.size >= size)
            let second = blocks.take(size)
            defer { free(second) }
            #expect(second == first)
            #expect(blocks.size == 0)
            #expect(blocks.take(size) == nil)
        }
    }

    @Test(arguments: [1, 23, 24, 25, 40, 41, 100, 1500, 2056, 2057, 16 << 10, buffer])
    func `a block is used only where it is large enough`(size: Int) throws {
        for given in max(1, size - 64)..<size {
            try withBlocks { blocks in
                let block = try #require(malloc(given))
                guard blocks.give(block) else { return free(block) }
                guard let taken = blocks.take(size) else { return }
                defer { free(taken) }
                #expect(cofferdam_usable_size(taken) >= size, "of \(given) bytes")
            }
        }
    }

    @Test func `a small block is not used for one that is much smaller, or none at all`() throws {
        try withBlocks { blocks in
            try #require(blocks.give(try #require(malloc(1000))))
            #expect(blocks.take(900) == nil)
            #expect(blocks.take(0) == nil)
            // What a size over half of the memory becomes.
            #expect(blocks.take(-1) == nil)
        }
    }

    @Test func `blocks of all sizes that libcurl asks for are used again and again`() throws {
        try withBlocks { blocks in
            for round in 0..<3 {
                // glibc's blocks can be larger than asked for.
                let taken = (0..<2000).map { ($0, blocks.take($0)) }
                if round > 0 { #expect(taken.allSatisfy { $0.1 != nil }) }
                let all = taken.map { size, block in block ?? malloc(size) }
                for block in all { try #require(blocks.give(try #require(block))) }
            }
        }
    }

    @Test func `two requests at once have a block each`() throws {
        try withBlocks { blocks in
            for _ in 0..<2 { try #require(blocks.give(try #require(malloc(100)))) }
            let (first, second) = (blocks.take(100), blocks.take(100))
            defer { [first, second].forEach { free($0) } }
            #expect(first != nil && second != nil && first != second)
        }
    }

    @Test(arguments: [(100, KeptBlocks.maximumSize), (buffer, KeptBlocks.maximumSize / 2)])
    func `no more are kept than the limit`(size: Int, limit: Int) throws {
        try withBlocks { blocks in
            var refused = 0
            for _ in 0...2 * KeptBlocks.maximumSize / size {
                let block = try #require(malloc(size))
                if !blocks.give(block) {
                    free(block)
                    refused += 1
                }
            }
            #expect(refused > 0)
            #expect(blocks.size <= limit && blocks.size > limit - 2 * size)
        }
    }

    @Test(arguments: [4 << 10, 8 << 10, 16 << 10, 64 << 10, 128 << 10])
    func `blocks of other sizes, as those of streams, are not kept`(size: Int) throws {
        try withBlocks { blocks in
            let block = try #require(malloc(size))
            defer { free(block) }
            #expect(!blocks.give(block))
        }
    }

    @Test func `a block that grows takes its bytes along`() throws {
        try withBlocks { blocks in
            try #require(blocks.give(try #require(malloc(256))))
            let small = try #require(malloc(32))
            memset(small, 7, 32)
            let large = try #require(blocks.resize(small, to: 256))
            defer { free(large) }
            #expect(UnsafeRawBufferPointer(start: large, count: 32).allSatisfy { $0 == 7 })
            #expect(blocks.take(32) == small)
            free(small)
            #expect(blocks.resize(large, to: 1000) == nil)
        }
    }

    @Test func `a thread's blocks are freed when it ends`() async {
        await #expect(processExitsWith: .success) {
            var sizes: [Int] = []
            for _ in 0..<50 {
                let thread = LoopThread {
                    KeptBlocks.useOnThread()
                    let blocks = (0..<10_000).map { _ in malloc(100) }
                    for block in blocks { if let block, KeptBlocks.ofThread?.give(block) != true { free(block) } }
                    if KeptBlocks.ofThread?.size ?? 0 < 1_000_000 { exit(EXIT_FAILURE) }
                }
                try #require(thread).join()
                sizes.append(try #require(ProcessCensus.allocatedMemory))
            }
            // 1 MB each.
            #expect(sizes[49] - sizes[9] < 10 << 20, "\(sizes)")
        }
    }
}
#endif
#endif
