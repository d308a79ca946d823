import DownloadsPort
import Foundation
import Synchronization

/// The calls and streams in progress, which can all be ended at once.
final class RunningWork: Sendable {
    private struct State {
        var isClosed = false
        var count = 0
        var running: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// - Throws: `closed` if it is closed before the end; `CancellationError` only if its own task is cancelled.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let task = Task { try await body() }
        let id = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.count += 1
            state.running[state.count] = { task.cancel() }
            return state.count
        }
        guard let id else {
            task.cancel()
            throw Self.closed
        }
        defer { state.withLock { $0.running[id] = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            // The client's error for a request that was given up does not matter.
            throw state.withLock(\.isClosed) ? Self.closed : error
        }
    }

    func close() async {
        let running = state.withLock { state in
            state.isClosed = true
            return Array(state.running.values)
        }
        for cancel in running { cancel() }
    }

    private static var closed: DownloadsError { DownloadsError(.closed, "the port is closed") }
}

/// Cuts a file's bytes into blocks, however they arrive.
struct BlockCutter {
    private var bytes: [UInt8] = []
    private var index = 0

    mutating func append(_ chunk: [UInt8]) -> [Block] {
        bytes += chunk
        var blocks: [Block] = []
        var start = 0
        while bytes.count - start >= Block.size {
            blocks.append(Block(index: index, bytes: Array(bytes[start..<start + Block.size])))
            start += Block.size
            index += 1
        }
        bytes.removeFirst(start)
        return blocks
    }

    /// The last block, if it is incomplete.
    var rest: Block? { bytes.isEmpty ? nil : Block(index: index, bytes: bytes) }
}

/// An incomplete file, beside its destination.
struct PartialFile {
    private let path: String
    private let file: FileHandle
    private var part: String { path + ".part" }

    /// - Throws: `disk`.
    init(_ path: String) throws {
        self.path = path
        guard FileManager.default.createFile(atPath: path + ".part", contents: nil),
            let file = FileHandle(forWritingAtPath: path + ".part")
        else { throw DownloadsError(.disk, "the file cannot be created") }
        self.file = file
    }

    func append(_ bytes: [UInt8]) throws {
        do {
            try file.write(contentsOf: bytes)
        } catch {
            throw DownloadsError(.disk, "the file cannot be written")
        }
    }

    func complete() throws {
        do {
            try file.close()
        } catch {
            throw DownloadsError(.disk, "the file cannot be written")
        }
        guard rename(part, path) == 0 else { throw DownloadsError(.disk, "the file cannot be put in its place") }
    }

    /// A file that cannot be removed is overwritten by the next attempt.
    func remove() { unlink(part) }
}
