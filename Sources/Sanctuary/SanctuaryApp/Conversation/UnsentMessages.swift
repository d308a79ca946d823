import Cofferdam
import CofferdamState
import CofferdamStore
import SanctuaryDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The messages that a keeper has written and the vendor has not taken yet. They wait on disk, each keeper's in a file of its
/// own, and are in the conversation meanwhile, under their keys.
///
/// The vendor keeps a message that it could not send, too, and sends it before the next one; the key makes both one message
/// (D26).
actor UnsentMessages {
    private struct Draft: Codable {
        var author: String
        var text: String
        /// In milliseconds since 1970.
        var writtenAt: Int64

        func message(id: String) -> Message {
            let moment = Instant(millisecondsSince1970: writtenAt)
            return Message(id: MessageID(id), author: author, text: text, sentAt: moment)
        }
    }

    private typealias Outbox = MutationOutbox<Draft, Message>

    private let account: RequiredCredential<Account>
    private let now: @Sendable () -> Instant
    private let makeOutbox: @Sendable (String) -> Outbox
    private var current: (user: String, outbox: Outbox)?
    /// Waits until the last outbox has ended: two must not have one file.
    private var closing: Task<Void, Never>?
    /// Cancel what is being sent.
    private var cancels: [UUID: @Sendable () -> Void] = [:]

    /// - Parameters:
    ///   - directory: is created if it is missing.
    ///   - store: contains the list.
    ///   - report: called for a message that the vendor has refused when its author no longer waited for it, and for a file
    ///     that cannot be read.
    init(
        in directory: String,
        port: any Messages,
        account: RequiredCredential<Account>,
        list: StoreList<ShownMessage>,
        store: Store,
        now: @escaping @Sendable () -> Instant,
        report: @escaping @Sendable (FeatureError) -> Void
    ) {
        (self.account, self.now) = (account, now)
        makeOutbox = { user in
            // If it fails, so does the outbox, which names the file.
            try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            return Outbox(
                directory: directory,
                user: user,
                optimistically: { entry in
                    let shown = ShownMessage(entry.input.message(id: entry.key), isPending: true)
                    return [list.collection.insertOptimistically(list.resolved(shown))]
                },
                confirm: { _, message, writes in
                    let shown = list.resolved(ShownMessage(message))
                    let isLoaded = list.loadable.snapshot.settledContents != nil
                    for write in writes {
                        store.confirm(write) { update in
                            // Without a loaded list the message would appear as the only one.
                            if isLoaded { update.upsert(shown, in: list.collection) } else { update.set(shown) }
                        }
                    }
                },
                isFinal: { ($0 as? SanctuaryError).map { Self.final.contains($0.code) } ?? false },
                tell: { notice in if let error = FeatureError(notice) { report(error) } },
                perform: { try await port.send(MessageDraft(text: $0.input.text, key: $0.key)) }
            )
        }
    }

    /// After one of these, sending the message again changes nothing, or could make it two: where the outcome is unknown, the
    /// SDK that has sent the message keeps it, and after an upgrade the other one does not know its key (D26).
    private static let final: Set<SanctuaryError.Code> = [
        .invalidRequest, .forbidden, .conflict, .unsupported, .outcomeUnknown,
    ]

    /// Sends a message after those that wait.
    func send(_ text: String, key: String) async throws -> Message {
        let account = try await account.get()
        let draft = Draft(author: account.id, text: text, writtenAt: now().millisecondsSince1970)
        return try await withOutbox(of: account.id) { try await $0.submit(draft, key: key) }
    }

    /// Shows and sends what waits. Without a user there is nothing.
    func sendAll() async throws {
        guard let account = try? await account.get() else { return }
        try await withOutbox(of: account.id) { try await $0.send() }
    }

    /// Takes what waits from the conversation, until its author is back. What is being sent is cancelled and not waited for.
    func close() {
        guard let outbox = current?.outbox else { return }
        current = nil
        for cancel in cancels.values { cancel() }
        closing = Task { await outbox.close() }
    }

    private func withOutbox<Value: Sendable>(
        of user: String,
        _ body: @escaping @Sendable (Outbox) async throws -> Value
    ) async throws -> Value {
        while current?.user != user {
            close()
            await closing?.value
            if current == nil { current = (user, makeOutbox(user)) }
        }
        guard let outbox = current?.outbox else { throw CancellationError() }
        let (id, task) = (UUID(), Task { try await body(outbox) })
        cancels[id] = { task.cancel() }
        defer { cancels[id] = nil }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch let error as MutationOutboxError where error.code != .closed {
            throw FeatureError(.notKept, "the message cannot be kept on this device: \(error)")
        } catch  where !Task.isCancelled && (error is CancellationError || error is MutationOutboxError) {
            throw SanctuaryError(.authenticationRequired, "the user who wrote the message has signed out")
        }
    }
}

extension FeatureError {
    /// Nil for what need not be told: a message that is sent again, with its key, after the app has ended.
    fileprivate init?(_ notice: MutationOutbox<some Codable & Sendable, Message>.Notice) {
        switch notice {
        case .givenUp(_, let error): self.init(.givenUp, "a message that waited on this device waits no longer: \(error)")
        case .setAside(let path, _): self.init(.notKept, "the messages that waited cannot be read; they are in \(path)")
        case .notRemoved: return nil
        }
    }
}
