import Cofferdam
public import DownloadsPort
import Foundation
import Synchronization

/// The port in memory, for the app's tests and for work without a server.
public final class FakeDownloads: Downloads {
    private struct File {
        var info: FileInfo
        var bytes: [UInt8] = []
        /// Whether the file is still being written.
        var isGrowing = false
    }

    private struct Reader {
        var name: String
        var buffer: EventBuffer<Block>
    }

    private struct State {
        var files: [String: File] = [:]
        var readers: [Int: Reader] = [:]
        var count = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Creates an empty shelf.
    public init() {}

    /// The port, and the closure that closes it.
    public var service: DownloadsService {
        DownloadsService(self) { [self] in
            let readers = state.withLock { state in
                state.isClosed = true
                return Array(state.readers.values)
            }
            for reader in readers { reader.buffer.finish(throwing: Self.closed) }
        }
    }

    // MARK: The port

    public func file(_ name: String) async throws -> FileInfo { try open { try Self.find(name, in: $0).info } }

    public func files(after name: String?, limit: Int) async throws -> FilePage {
        try open { state in
            let rest = state.files.keys.filter { other in name.map { Self.isBefore($0, other) } ?? true }
            let page = rest.sorted(by: Self.isBefore).prefix(max(1, limit))
            return FilePage(
                files: page.compactMap { state.files[$0]?.info },
                next: page.count < rest.count ? page.last : nil
            )
        }
    }

    public func download(
        _ name: String,
        to path: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let bytes = try open { try Self.find(name, in: $0).bytes }
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw DownloadsError(.disk, "the file cannot be created")
        }
        if bytes.count > 1 { progress(0.5) }
        progress(1)
    }

    public func blocks(of name: String) -> any AsyncSequence<Block, any Error> & Sendable {
        let buffer = EventBuffer<Block>(limit: Block.most)
        do {
            let isGrowing = try open { state in
                let file = try Self.find(name, in: state)
                for block in Self.blocks(of: file.bytes, from: 0) { Self.send(block, to: buffer) }
                guard file.isGrowing else { return false }
                state.count += 1
                let id = state.count
                state.readers[id] = Reader(name: name, buffer: buffer)
                buffer.onTermination { [self] in self.state.withLock { $0.readers[id] = nil } }
                return true
            }
            if !isGrowing { buffer.finish() }
        } catch {
            buffer.finish(throwing: error)
        }
        return buffer.events
    }

    // MARK: The shelf

    /// Replaces the files on the shelf by these.
    public func set(_ files: [FileInfo]) {
        state.withLock { $0.files = Dictionary(uniqueKeysWithValues: files.map { ($0.name, File(info: $0)) }) }
    }

    /// Puts a file on the shelf.
    public func put(_ bytes: [UInt8], as name: String, isGrowing: Bool = false) {
        let info = FileInfo(name: name, size: bytes.count)
        state.withLock { $0.files[name] = File(info: info, bytes: bytes, isGrowing: isGrowing) }
    }

    /// Appends to a growing file; `bytes` must be whole blocks.
    public func append(_ bytes: [UInt8], to name: String) {
        let (blocks, readers) = state.withLock { state in
            let index = (state.files[name]?.bytes.count ?? 0) / Block.size
            state.files[name]?.bytes += bytes
            return (Self.blocks(of: bytes, from: index), state.readers.values.filter { $0.name == name })
        }
        for reader in readers { for block in blocks { Self.send(block, to: reader.buffer) } }
    }

    /// Ends all readers' streams of growing files, normally or with an error.
    public func endGrowing(by error: DownloadsError? = nil) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.buffer.finish(throwing: error) }
    }

    /// The number of readers of growing files.
    public var readers: Int { state.withLock { $0.readers.count } }

    // MARK: Parts

    private func open<Value: Sendable>(_ body: (inout State) throws -> sending Value) throws -> Value {
        try Task.checkCancellation()
        return try state.withLock { state in
            guard !state.isClosed else { throw Self.closed }
            return try body(&state)
        }
    }

    private static func find(_ name: String, in state: State) throws -> File {
        guard let file = state.files[name] else { throw DownloadsError(.notFound, "there is no such file") }
        return file
    }

    private static func blocks(of bytes: [UInt8], from index: Int) -> [Block] {
        stride(from: 0, to: bytes.count, by: Block.size).map { start in
            let part = bytes[start..<min(start + Block.size, bytes.count)]
            return Block(index: index + start / Block.size, bytes: Array(part))
        }
    }

    private static func send(_ block: Block, to buffer: EventBuffer<Block>) {
        buffer.send(block) { DownloadsError(.overrun, "the reader is too far behind") }
    }

    /// Compares by bytes, as the server sorts names.
    private static func isBefore(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

    private static var closed: DownloadsError { DownloadsError(.closed, "the port is closed") }
}
