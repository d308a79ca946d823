#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// Tracks which user owns the messages in the vendor's outbox. The outbox does not record it, and would deliver them as
/// messages of the next user who signs in. Messages of other users are stored here until they return. V1's unsent
/// messages are taken over.
actor UnsentMessages {
    /// The maximum number of noted messages that are stored nowhere else, so that a repeat is recognised.
    static let capacity = 200

    /// The file's content, which V1's adapter also reads when V1 takes over again.
    private struct Kept: Codable, Hashable {
        /// The owner of the vendor's outbox.
        var owner: String?
        var others: [String: [OutboxEntry]] = [:]
        /// The messages that were in flight once and may have arrived, or were delivered from the outbox, oldest first; nil if
        /// none was ever tried.
        var tried: [String]?
    }

    private let outbox: Outbox
    private let legacy: LegacyState
    private let url: URL
    private let issues: IssueSink
    private var reported: Set<String> = []
    private var attempts = AttemptLedger()
    /// The number of sends in progress by user; until they end, the outbox keeps its owner.
    private var sendings: [String: Int] = [:]
    /// Serialises changes to the outbox's owner or content.
    private let turnstile = AsyncMutex()
    /// Passed by one call at a time that delivers the outbox: what another call delivers meanwhile would be neither in
    /// it nor noted yet, and be sent again as another message.
    let delivery = AsyncMutex()
    /// The confirmed owner; nil while ownership changes.
    private var owner: String?

    init(_ outbox: Outbox, directory: String, issues: IssueSink) {
        self.outbox = outbox
        legacy = LegacyState(directory: directory)
        url = URL(fileURLWithPath: directory + "/sanctuary.unsent.json")
        self.issues = issues
    }

    /// Assigns the vendor's outbox to this user, and adds V1's unsent messages. Failures, and messages that stay with
    /// V1, are reported as issues, once; nothing is lost. If it is cancelled, nothing changes.
    ///
    /// - Parameter takingOver: whether V1 is idle: otherwise both would send the same messages.
    func prepare(for user: String, takingOver: Bool) async {
        do { try await turnstile.enter() } catch { return }
        defer { turnstile.leave() }
        do {
            if owner != user { owner = nil }
            try await hand(to: user)
            owner = user
        } catch {
            owner = nil
            return report(error, user)
        }
        guard takingOver else { return }
        do {
            try await takeOver(for: user)
        } catch {
            report(error, user)
        }
    }

    /// Runs `deliver`, which sends the outbox's messages, if it holds any of this user. They are noted before, because
    /// the answer may never arrive, and V1 must not send them then.
    ///
    /// - Returns: nil if the outbox holds no message of the user.
    func delivering<Value: Sendable>(
        for user: String,
        _ deliver: @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard owner == user else { return nil }
        begin(user)
        defer { end(user) }
        let ids = try await outbox.entries().map(\.localId)
        guard !ids.isEmpty else { return nil }
        try note(ids, kept: ids)
        do {
            let value = try await deliver()
            // They stay noted: who sends one of them again gets it, because only the outbox's delivery knows it.
            _ = attempts.end(ids, .happened)
            return value
        } catch {
            forget(attempts.end(ids, SendMark.leavesOpen(error) ? .unknown : .refused))
            throw error
        }
    }

    /// Runs `deliver` for one of the outbox's messages after the other, because the vendor refuses all of them for one.
    /// Those that it refuses are reported as issues, and kept no longer. Each step can be repeated after a crash.
    ///
    /// - Throws: the refusal of the message with that key; any other error if that message has not arrived. What is
    ///   left is kept then, as it is after an error that is not thrown.
    func deliveringEach(
        for user: String,
        including key: String,
        _ deliver: @Sendable () async throws -> [MenagerieV2.Message]
    ) async throws -> [MenagerieV2.Message] {
        try await turnstile.enter()
        defer { turnstile.leave() }
        guard owner == user else { return [] }
        let entries = try await outbox.entries()
        try change { $0.others[user] = entries }
        try await outbox.removeAll()
        var delivered: [MenagerieV2.Message] = []
        var refusal: MenagerieError?
        do {
            for entry in entries {
                try await outbox.add([entry])
                do {
                    delivered += try await delivering(for: user, deliver) ?? []
                } catch let error as MenagerieError {
                    // Another one may have come into the outbox meanwhile, and be the one that is refused.
                    guard case .validation = error, try await outbox.entries() == [entry] else { throw error }
                    try await outbox.remove([entry.localId])
                    let cause = portError(error, now: Instant(millisecondsSince1970: 0))
                    report("it was kept, and the vendor refuses it: \(cause)", at: "message", entry.localId)
                    if entry.localId == key { refusal = error }
                }
                try change { $0.others[user]?.removeAll { $0.localId == entry.localId } }
            }
            try change { $0.others[user] = nil }
        } catch {
            try await hand(to: user)
            guard delivered.contains(where: { $0.localId == key }) else { throw error }
        }
        if let refusal { throw refusal }
        return delivered
    }

    /// A message of a user that is being sent.
    private struct Sending: Hashable {
        let user: String
        let draft: MessageDraft
    }

    /// The calls that send one message, one after the other, until one has its answer.
    private final class Turns {
        let turn = AsyncMutex()
        var callers = 0
        var answer: MenagerieV2.Message?
    }

    private var turns: [Sending: Turns] = [:]

    /// Runs `send`, unless another call that was sending this message has its answer by then: the vendor knows a key
    /// again only in its outbox, so two calls at once would be two messages.
    func once(
        _ draft: MessageDraft,
        of user: String,
        _ mark: SendMark,
        _ send: @Sendable () async throws -> MenagerieV2.Message
    ) async throws -> MenagerieV2.Message {
        let sending = Sending(user: user, draft: draft)
        let turns = turns[sending, default: Turns()]
        self.turns[sending] = turns
        turns.callers += 1
        defer {
            turns.callers -= 1
            if turns.callers == 0 { self.turns[sending] = nil }
        }
        let turn = turns.turn
        if turns.callers == 1 {
            try await turn.enter()
        } else {
            // If it gives up, the other call may still have sent the message.
            try await mark.sending { try await turn.enter() }
        }
        defer { turn.leave() }
        if let answer = turns.answer { return answer }
        let answer = try await send()
        turns.answer = answer
        return answer
    }

    /// Returns a message to the vendor's outbox that was in flight once and may have arrived: delivered from there, it
    /// is recorded once, however often it is sent.
    ///
    /// - Returns: whether the message was in flight once.
    func putAgain(_ draft: MessageDraft, of user: String) async throws -> Bool {
        guard owner == user, try load().tried?.contains(draft.key) ?? false else { return false }
        try await outbox.add([OutboxEntry(localId: draft.key, text: draft.text)])
        return true
    }

    /// Runs `send`, which sends a message, and stores the message if the vendor cannot be reached: the SDK does so only
    /// if it did not need a new token first, and regardless of the outbox's owner. The message is noted before, if
    /// possible, so that a repeat is recognised.
    ///
    /// - Throws: the error of `send`, or that the message cannot be stored.
    func sending<Value: Sendable>(
        _ draft: MessageDraft,
        of user: String,
        _ send: @Sendable () async throws -> Value
    ) async throws -> Value {
        begin(user)
        defer { end(user) }
        let kept = try await outbox.entries().map(\.localId)
        let wasKept = kept.contains(draft.key)
        do { try note([draft.key], kept: kept) } catch { report(error, user) }
        do {
            let value = try await send()
            forget(attempts.end([draft.key], .happened))
            return value
        } catch {
            forget(attempts.end([draft.key], SendMark.leavesOpen(error) ? .unknown : .refused))
            guard case MenagerieError.transport(let failure) = error, failure.kind == .offline else { throw error }
            try await turnstile.enter()
            defer { turnstile.leave() }
            guard owner == user else {
                if !wasKept { try await outbox.remove([draft.key]) }
                throw SanctuaryError(.unknown, "the message could not be sent, and cannot be stored", subject: url.path)
            }
            try await outbox.add([OutboxEntry(localId: draft.key, text: draft.text)])
            throw MenagerieError.transport(failure)
        }
    }

    private func begin(_ user: String) { sendings[user, default: 0] += 1 }

    private func end(_ user: String) {
        sendings[user, default: 0] -= 1
        if sendings[user] == 0 { sendings[user] = nil }
    }

    /// Notes the messages. The oldest notes are dropped for new ones, except those of stored messages, which V1 would
    /// otherwise send as well.
    ///
    /// - Parameter kept: the messages in the vendor's outbox.
    private func note(_ ids: [String], kept: [String]) throws {
        let old = try load()
        let known = old.tried ?? []
        let isKnown = Set(known)
        let new = ids.filter { !isKnown.contains($0) }
        attempts.begin(ids, noted: known)
        guard !new.isEmpty else { return }
        let staying = Set(ids + kept + old.others.values.joined().map(\.localId))
        let leaving = Set(known.filter { !staying.contains($0) }.dropLast(Self.capacity - 1))
        try change { $0.tried = known.filter { !leaving.contains($0) } + new }
    }

    private func forget(_ ids: [String]) {
        guard !ids.isEmpty else { return }
        // If this fails, the messages stay noted and remain with V2, nothing worse.
        do { try change { $0.tried?.removeAll(where: ids.contains) } } catch {}
    }

    private func report(_ error: any Error, _ user: String) {
        report("the outbox: \(portError(error, now: Instant(millisecondsSince1970: 0)))", at: "outbox", user)
    }

    private func report(_ what: String, at path: String, _ raw: String) {
        guard reported.insert("\(what) \(path) \(raw)").inserted else { return }
        issues.report([TranslationIssue(what, at: path, raw: raw, severity: .warning)], of: "unsent")
    }

    private func takeOver(for user: String) async throws {
        let (untried, tried) = try legacy.unsent(by: user)
        for id in tried { report("it is unknown whether V1 has sent it: it stays with V1", at: "message", id) }
        guard !untried.isEmpty else { return }
        try await outbox.add(untried)
        try legacy.forget(untried, by: user)
    }

    /// Transfers the outbox to `user`. Each step can be repeated after a crash.
    private func hand(to user: String) async throws {
        guard sendings.keys.allSatisfy({ $0 == user }) else {
            throw SanctuaryError(.unknown, "another user's messages are being sent")
        }
        if let owner = try load().owner, owner != user {
            let theirs = try await outbox.entries()
            try change { kept in
                let known = Set(kept.others[owner, default: []].map(\.localId))
                let new = theirs.filter { !known.contains($0.localId) }
                if !new.isEmpty { kept.others[owner, default: []] += new }
            }
            try await outbox.removeAll()
        }
        try change { $0.owner = user }
        if let mine = try load().others[user] {
            try await outbox.add(mine)
            try change { $0.others[user] = nil }
        }
    }

    /// Synchronous, so that no other change interleaves.
    private func change(_ body: (inout Kept) -> Void) throws {
        let old = try load()
        var kept = old
        body(&kept)
        if kept != old { try save(kept) }
    }

    private func load() throws -> Kept {
        do {
            return try JSONDecoder().decode(Kept.self, from: Data(contentsOf: url))
        } catch CocoaError.fileReadNoSuchFile {
            return Kept()
        }
    }

    private func save(_ kept: Kept) throws {
        let directory = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try JSONEncoder().encode(kept).write(to: url, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
}
#endif
