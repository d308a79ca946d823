#if canImport(Glibc)
    import Glibc
    import Testing

    @testable import CofferdamCurl

    /// Other tests use the same memory, but none at the same time.
    @Suite struct LibcurlMemoryTests {
        @Test func `A buffer is used again for the next request`() throws {
            let first = try #require(LibcurlMemory.allocate(33_000))
            LibcurlMemory.release(first)
            let second = try #require(LibcurlMemory.allocate(32_000))
            defer { LibcurlMemory.release(second) }
            #expect(second == first)
        }

        @Test func `A buffer is not used for a request of less than half its size`() throws {
            let large = try #require(LibcurlMemory.allocate(40_000))
            LibcurlMemory.release(large)
            let small = try #require(LibcurlMemory.allocate(17_000))
            defer { LibcurlMemory.release(small) }
            #expect(small != large)
        }

        @Test func `Two requests at once have a buffer each`() throws {
            LibcurlMemory.release(LibcurlMemory.allocate(33_000))
            let (first, second) = (LibcurlMemory.allocate(33_000), LibcurlMemory.allocate(33_000))
            defer { [first, second].forEach(LibcurlMemory.release) }
            #expect(first != nil && second != nil && first != second)
        }

        @Test func `At most thirty-two buffers are kept`() {
            let blocks = (0..<200).map { _ in LibcurlMemory.allocate(33_000) }
            blocks.forEach(LibcurlMemory.release)
            #expect(LibcurlMemory.keptCount == 32)
        }

        @Test func `Plain free releases what libcurl has allocated`() {
            free(LibcurlMemory.allocate(40_000))
            LibcurlMemory.release(strdup("text"))
        }
    }
#endif
