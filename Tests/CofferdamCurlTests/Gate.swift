#if Curl
import Cofferdam

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A gate that opens once for all waiters, threads and tasks.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// A pipe, which can be read once the gate is open.
    private let reader: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        open()
        close(writer)
        close(reader)
    }

    func open() {
        let waiting = state.withLock { state in
            // Writes a byte instead of only closing, because a child process may hold the writing end too.
            if !state.isOpen { _ = write(writer, [1], 1) }
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Cancelling the task does not end the wait.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate opens.
    func block() {
        var descriptor = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, -1) < 0, errno == EINTR {}
    }
}

/// A counter that can be incremented anywhere, and awaited.
final class Count: Sendable {
    private struct State {
        var value = 0
        var watchers: [(AsyncStream<Int>.Continuation)] = []
    }

    private let state = Mutex(State())

    var value: Int { state.withLock { $0.value } }

    @discardableResult
    func add(_ change: Int = 1) -> Int {
        state.withLock { state in
            state.value += change
            for watcher in state.watchers { watcher.yield(state.value) }
            return state.value
        }
    }

    func until(_ condition: (Int) -> Bool) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            watcher.yield(state.value)
            state.watchers.append(watcher)
        }
        for await value in changes where condition(value) { return }
    }
}

/// A request's body that is produced block by block, and records how many were pulled and whether the puller was
/// cancelled.
struct PulledBlocks: AsyncSequence, Sendable {
    let pulls = Count()
    let cancellations = Count()
    let make: @Sendable (_ index: Int) async throws -> [UInt8]?

    func makeAsyncIterator() -> Iterator { Iterator(blocks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let blocks: PulledBlocks
        var index = 0

        mutating func next() async throws -> [UInt8]? {
            defer { index += 1 }
            blocks.pulls.add()
            return try await blocks.make(index)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            defer { index += 1 }
            blocks.pulls.add()
            return try await blocks.make(index)
        }
    }

    /// Never returns, until its task is cancelled.
    static func waitForCancellation() async throws {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        try Task.checkCancellation()
    }
}
#endif
