public import Cofferdam  // its errors have codes
import CofferdamSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Changes of one user that wait on disk until the service has made them, and survive the end of the app.
///
/// Each has a key that stays the same however often it is sent, so that a service that knows keys makes it once: after a crash
/// between sending and removing, a change is sent again. Changes of one scope are sent in their order, one at a time; those of
/// several at once. What waits is on screen as optimistic writes, also after a restart.
///
/// <doc:ShowingOnScreens> has an example.
///
/// The file belongs to the user: another one's changes stay where they are until that user returns. At sign-out call
/// ``close()``. Only one outbox at a time may have a user's file.
public actor MutationOutbox<Input: Codable & Sendable, Output: Sendable> {
    /// A change that waits.
    public struct Entry: Codable, Sendable, Identifiable {
        /// The idempotency key.
        public let key: String
        /// What it must not overtake.
        public let scope: String
        /// The change.
        public let input: Input

        /// The key.
        public var id: String { key }
    }

    /// What an app has to know, because no call returns it.
    public enum Notice: Sendable {
        /// The service has refused a change for good. It waits no longer.
        case givenUp(Entry, any Error)
        /// The user's file could not be read: damaged, or written by another version. It is now at the path, and nothing waits.
        case setAside(path: String, any Error)
        /// A change has been made, but the file still has it. If the app ends now, it is sent again, with its key.
        case notRemoved(Entry, any Error)
    }

    private struct Kept: Codable {
        var user: String
        var entries: [Entry]
    }

    /// What waits, oldest first.
    public nonisolated var entries: Provider<[Entry]> { source.provider }

    private let file: AtomicFile
    private let user: String
    private let limit: Int
    private let scope: @Sendable (Input) -> String
    private let prepare: @Sendable (Entry) -> [OptimisticWrite]
    private let confirm: @Sendable (Entry, Output, [OptimisticWrite]) -> Void
    private let isFinal: @Sendable (any Error) -> Bool
    private let tell: @Sendable (Notice) -> Void
    private let perform: @Sendable (Entry) async throws -> Output
    private let source = ProviderSource<[Entry]>([])

    private var isOpen = false
    private var isClosed = false
    private var waiting: [Entry] = []
    private var writes: [String: [OptimisticWrite]] = [:]
    private var sending: Set<String> = []
    private var turnstiles: [String: AsyncMutex] = [:]
    private var closers: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - directory: an existing folder for the files, one for each user.
    ///   - user: whose changes these are; `perform` sends in that user's session only.
    ///   - limit: how many changes may wait.
    ///   - scope: names what a change must not overtake, such as its conversation; by default all are one scope.
    ///   - prepare: makes the optimistic writes of a change: when it is added, and after a restart.
    ///   - confirm: called after a success with the service's answer and the optimistic writes; by default they are confirmed.
    ///   - isFinal: whether the service has refused for good. After any other error the change waits for the next ``send()``, and
    ///     so do those after it in its scope.
    ///   - tell: called with what no call returns.
    ///   - perform: makes the change, with its key.
    public init(
        directory: String,
        user: String,
        limit: Int = 200,
        scope: @escaping @Sendable (Input) -> String = { _ in "" },
        optimistically prepare: @escaping @Sendable (Entry) -> [OptimisticWrite] = { _ in [] },
        confirm: @escaping @Sendable (Entry, Output, [OptimisticWrite]) -> Void = {
            for write in $2 { write.confirm() }
        },
        isFinal: @escaping @Sendable (any Error) -> Bool,
        tell: @escaping @Sendable (Notice) -> Void,
        perform: @escaping @Sendable (Entry) async throws -> Output
    ) {
        // A user's name need not be one of a file.
        file = AtomicFile(path: "\(directory)/outbox-\(Digest.sha256(of: user)).json")
        (self.user, self.limit, self.scope) = (user, limit, scope)
        (self.prepare, self.confirm, self.isFinal) = (prepare, confirm, isFinal)
        (self.tell, self.perform) = (tell, perform)
    }

    /// Reads what waits, and shows it. Every other call does so first.
    ///
    /// - Throws: ``MutationOutboxError`` with `file` or `closed`.
    public func open() throws {
        guard !isClosed else { throw MutationOutboxError(.closed, file.path) }
        guard !isOpen else { return }
        do {
            if let bytes = try file.read() { waiting = try read(bytes) }
        } catch {
            throw MutationOutboxError(.file, file.path, cause: error)
        }
        isOpen = true
        for entry in waiting { show(entry) }
        publish()
    }

    /// Keeps a change on disk and shows it. Call ``send()`` to send it.
    ///
    /// - Returns: the change with its key. Two equal changes are two.
    /// - Throws: ``MutationOutboxError``: `full`, `file` or `closed`. Nothing waits or shows then.
    @discardableResult
    public func add(_ input: Input) throws -> Entry {
        try open()
        guard waiting.count < limit else { throw MutationOutboxError(.full, "\(limit) changes") }
        let entry = Entry(key: UUID().uuidString, scope: scope(input), input: input)
        do { try save(waiting + [entry]) } catch { throw MutationOutboxError(.file, file.path, cause: error) }
        waiting.append(entry)
        show(entry)
        publish()
        return entry
    }

    /// Takes a change back that is not being sent.
    ///
    /// - Returns: false if it does not wait or is being sent.
    /// - Throws: ``MutationOutboxError`` with `file` or `closed`; the change still waits then.
    @discardableResult
    public func cancel(_ key: String) throws -> Bool {
        try open()
        guard !sending.contains(key), waiting.contains(where: { $0.key == key }) else { return false }
        do { try save(waiting.filter { $0.key != key }) } catch {
            throw MutationOutboxError(.file, file.path, cause: error)
        }
        forget(key).forEach { $0.rollBack() }
        return true
    }

    /// Sends what waits: call it after ``add(_:)``, at the start, and when the network is back.
    ///
    /// Returns when everything has been sent, refused, or waits for the next call. If the task is cancelled, what was not sent
    /// waits.
    ///
    /// - Throws: ``MutationOutboxError`` with `file` or `closed`.
    public func send() async throws {
        try open()
        await withDiscardingTaskGroup { group in
            for scope in Set(waiting.map(\.scope)) { group.addTask { await self.send(scope) } }
        }
    }

    /// Takes the changes from the screens and returns when none is being sent any more; they are sent when the user is back, by
    /// another outbox. Call it at sign-out. To end what is being sent, cancel the task that called ``send()``.
    public func close() async {
        isClosed = true
        for write in writes.values.joined() { write.rollBack() }
        (writes, waiting) = ([:], [])
        publish()
        // Cancellation does not end it: another user's session may begin after it.
        if !sending.isEmpty { await withCheckedContinuation { closers.append($0) } }
    }

    // MARK: Sending

    private func send(_ scope: String) async {
        let turnstile = turnstiles[scope] ?? AsyncMutex()
        turnstiles[scope] = turnstile
        do { try await turnstile.enter() } catch { return }
        defer { turnstile.leave() }
        while !Task.isCancelled, let entry = waiting.first(where: { $0.scope == scope }) {
            guard await attempt(entry) else { return }
        }
    }

    /// - Returns: whether the next one may be sent.
    private func attempt(_ entry: Entry) async -> Bool {
        sending.insert(entry.key)
        defer { ended(entry.key) }
        do {
            let output = try await perform(entry)
            let writes = end(entry)
            // The screens may be another user's by now.
            if !isClosed { confirm(entry, output, writes) }
        } catch {
            guard !(error is CancellationError), isFinal(error) else { return false }
            for write in end(entry) { write.rollBack() }
            tell(.givenUp(entry, error))
        }
        return true
    }

    private func ended(_ key: String) {
        sending.remove(key)
        guard sending.isEmpty else { return }
        for closer in closers { closer.resume() }
        closers = []
    }

    /// Removes a change that has been made or refused, also after ``close()``.
    private func end(_ entry: Entry) -> [OptimisticWrite] {
        do {
            try save((isClosed ? try file.read().map(read) ?? [] : waiting).filter { $0.key != entry.key })
        } catch {
            tell(.notRemoved(entry, error))
        }
        return forget(entry.key)
    }

    private func forget(_ key: String) -> [OptimisticWrite] {
        waiting.removeAll { $0.key == key }
        publish()
        return writes.removeValue(forKey: key) ?? []
    }

    private func show(_ entry: Entry) { writes[entry.key] = prepare(entry) }

    private func publish() { source.set(waiting) }

    // MARK: The file

    private func read(_ bytes: [UInt8]) throws -> [Entry] {
        do {
            let kept = try JSONDecoder().decode(Kept.self, from: Data(bytes))
            guard kept.user == user else { throw MutationOutboxError(.otherUser, file.path) }
            return kept.entries
        } catch {
            tell(.setAside(path: try file.setAside(), error))
            return []
        }
    }

    private func save(_ entries: [Entry]) throws {
        try file.write([UInt8](try JSONEncoder().encode(Kept(user: user, entries: entries))))
    }
}

/// A failure of a ``MutationOutbox``.
public struct MutationOutboxError: CodedError {
    /// The kind of error. A struct, so that new codes do not break callers.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// As many changes wait as may.
        public static let full = Code(rawValue: "full")
        /// The file cannot be read or written.
        public static let file = Code(rawValue: "file")
        /// The file contains another user's changes.
        public static let otherUser = Code(rawValue: "other user")
        /// The outbox was closed before.
        public static let closed = Code(rawValue: "closed")
    }

    /// The kind of error.
    public let code: Code
    /// The file, or the limit.
    let subject: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ subject: String, cause: (any Error)? = nil) {
        (self.code, self.subject, self.cause) = (code, subject, cause)
    }

    /// The code, the subject and, if there is one, the cause.
    public var description: String { "\(code): \(subject)" + (cause.map { " (\($0))" } ?? "") }
}
