#if Curl
import Cofferdam
import CofferdamSupport
import HTTPTypes
import Testing

@testable import CofferdamCurl

@Suite(.timeLimit(.minutes(5)))
struct CurlBytesTests {
    /// Sizes around the threshold for pool blocks, and around the powers of two above it.
    static let sizes: [Int] =
        [0, 1, 4095, 4096, 4097]
        + [32 << 10, 64 << 10, 128 << 10, 4 << 20].flatMap { [$0 - 1, $0, $0 + 1] } + [9 << 20]

    /// A prime number of bytes, repeated, so that no two blocks are equal.
    private static let pattern: [UInt8] = {
        var random = SplitMix64(seed: 1)
        let bytes = (0..<8191).map { _ in UInt8.random(in: 0...255, using: &random) }
        return (0..<1300).reduce(into: []) { pattern, _ in pattern += bytes }
    }()

    static func content(_ size: Int, seed: Int = 0) -> [UInt8] { Array(pattern[seed % 8191..<seed % 8191 + size]) }

    @Test(arguments: sizes, [true, false])
    func `A body of any size, with or without a declared length, is the same by every way to read it`(
        size: Int,
        isAnnounced: Bool
    ) async throws {
        let content = Self.content(size)
        let server = try ScriptedServer { connection, _ in
            if isAnnounced { return connection.reply(content) }
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.send(content)
            connection.end()
        }
        try await withClient { client in
            let body = try await client.send(HTTPRequest(.get, url: server.url)).body
            #expect(body.count == size && body.isEmpty == (size == 0))
            let copies = [
                Array(body), Array(body[...]), [] + body, body.withUnsafeBytes { Array($0) },
                try #require(body.withContiguousStorageIfAvailable { Array($0) }),
            ]
            for (index, copy) in copies.enumerated() {
                #expect(isSame(CurlBytes(copy), content), "way \(index)")
            }
            if size <= 40_000 {
                #expect(body.map { $0 } == content && body.elementsEqual(content))
                #expect(Array(body.reversed()) == content.reversed())
                #expect(body == CurlBytes(content) && body.hashValue == CurlBytes(content).hashValue)
                #expect((0..<size).allSatisfy { body[$0] == content[$0] })
            }
            #expect(body.first == content.first && body.last == content.last)
            #expect(Array(body.prefix(3)) == Array(content.prefix(3)))
            #expect(isSame(CurlBytes(Array(body.dropFirst(size / 2))), Array(content.dropFirst(size / 2))))
            #expect(body.description == "\(size) bytes", "no byte of it")
        }
    }

    @Test(arguments: [0, 1, 100, 40_000])
    func `Bytes are equal wherever they are stored, and differ if one byte or the size does`(size: Int) {
        let content = Self.content(size)
        var others = [content + [0]]
        if size > 0 {
            others += [content.dropLast(), []]
            for position in [0, size / 2, size - 1] {
                others.append(content)
                others[others.count - 1][position] ^= 1
            }
        }
        for bytes in [CurlBytes(content), CurlBytes(copying: content)] {
            #expect(bytes == content && bytes == CurlBytes(content) && bytes == CurlBytes(copying: content))
            for other in others {
                #expect(!(bytes == other) && bytes != CurlBytes(other) && bytes != CurlBytes(copying: other))
            }
        }
    }

    @Test func `A partial copy fills the available space`() {
        let bytes = CurlBytes(Self.content(100))
        for room in [0, 1, 99, 100, 200] {
            let copied = [UInt8](unsafeUninitializedCapacity: 200) { target, count in
                var (rest, end) = bytes._copyContents(
                    initializing: UnsafeMutableBufferPointer(rebasing: target[..<room])
                )
                #expect(end == min(room, 100))
                #expect(rest.next() == (room < 100 ? bytes[room] : nil))
                count = end
            }
            #expect(copied == Array(Self.content(100).prefix(room)))
        }
    }

    @Test func `An index out of bounds traps`() async {
        await #expect(processExitsWith: .failure) {
            let server = try ScriptedServer { connection, _ in connection.reply(Array(repeating: 1, count: 40_000)) }
            let body = try await CurlClient().send(HTTPRequest(.get, url: server.url)).body
            print(body[40_000])
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `A body that is kept is never overwritten by later ones`(seed: UInt64) async throws {
        let server = try ScriptedServer { connection, request in
            let number = Int(request.path.dropFirst()) ?? 0
            connection.reply(Self.content(number % 100_000, seed: number))
        }
        var random = SplitMix64(seed: seed)
        try await withClient(.defaults { $0.maximumKeptMemory = 1 << 20 }) { client in
            var kept: [(number: Int, body: CurlBytes)] = []
            for _ in 0..<40 {
                let numbers = (0..<8).map { _ in Int.random(in: 0..<1_000_000, using: &random) }
                let bodies = try await withThrowingTaskGroup(of: [(Int, CurlBytes)].self) { group in
                    for number in numbers {
                        group.addTask {
                            let request = try HTTPRequest(.get, url: "\(server.url)/\(number)")
                            if number.isMultiple(of: 2) { return [(number, try await client.send(request).body)] }
                            // The blocks of a stream: some combined at once, some kept one by one.
                            var whole: [UInt8] = []
                            var last = CurlBytes()
                            for try await block in try await client.stream(request).body {
                                whole += block
                                last = block
                            }
                            #expect(isSame(CurlBytes(whole), Self.content(number % 100_000, seed: number)))
                            #expect(isSame(last, Array(whole.suffix(last.count))))
                            return []
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                kept += bodies.map { (number: $0.0, body: $0.1) }
                // Drop some, so that the pool has blocks to reuse.
                kept.removeAll { _ in Bool.random(using: &random) && Bool.random(using: &random) }
                for (number, body) in kept where body.count != number % 100_000 { Issue.record("another length") }
            }
            for (number, body) in kept {
                #expect(isSame(body, Self.content(number % 100_000, seed: number)), "\(number)")
            }
        }
    }

    @Test func `Blocks of a stream that are kept stay as they were`() async throws {
        let blocks = (0..<200).map { [UInt8](repeating: UInt8($0), count: 30_000) }
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(200 * 30_000)\r\n\r\n")
            for block in blocks { guard connection.send(block) else { return } }
        }
        try await withClient { client in
            var kept: [CurlBytes] = []
            for try await block in try await client.stream(HTTPRequest(.get, url: server.url)).body {
                kept.append(block)
            }
            let whole = kept.reduce(into: []) { $0 += $1 }
            #expect(isSame(CurlBytes(whole), blocks.reduce(into: []) { $0 += $1 }))
        }
    }

    @Test(arguments: [0, 1 << 20, 16 << 20])
    func `Kept memory stays within its limit and is reused`(maximum: Int) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply(Array(repeating: 1, count: 900_000)) }
        try await withClient(.defaults { $0.maximumKeptMemory = maximum }) { client in
            for round in 0..<3 {
                let bodies = try await withThrowingTaskGroup(of: CurlBytes.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await client.send(HTTPRequest(.get, url: server.url)).body }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let during = await client.census().keptMemory
                #expect(during <= maximum, "round \(round)")
                withExtendedLifetime(bodies) {}
            }
            // 900,000 bytes have a block of 1 MiB each.
            #expect(await keptMemory(of: client, reaching: maximum) == maximum)
        }
    }

    @Test func `Bodies dropped concurrently, and after their client, return their memory`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply(Array(repeating: 7, count: 50_000)) }
        var bodies: [CurlBytes] = []
        try await withClient { client in
            for _ in 0..<20 { bodies.append(try await client.send(HTTPRequest(.get, url: server.url)).body) }
            await withTaskGroup { group in
                for body in bodies {
                    for _ in 0..<10 { group.addTask { #expect(isEachByte(of: body, 7)) } }
                }
                bodies.removeLast(10)
            }
            #expect(await keptMemory(of: client, reaching: 10 * (64 << 10)) == 10 * (64 << 10))
        }
        for body in bodies { #expect(isEachByte(of: body, 7)) }
    }

    /// Waits until a client keeps that many bytes: a task that has not quite ended may hold the last reference to a body.
    private func keptMemory(of client: CurlClient, reaching expected: Int) async -> Int {
        var kept = 0
        for _ in 0..<10_000 {
            kept = await client.census().keptMemory
            if kept >= expected { break }
            await Task.yield()
        }
        return kept
    }
}
#endif
