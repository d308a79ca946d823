import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// Whose the messages in the vendor's outbox are: it does not know itself, and would deliver them as those of the next user
/// who signs in. Those of others are kept here until they are back. What V1 could not send is taken over.
actor UnsentMessages {
    /// How many messages are noted whose outcome is not known and that are nowhere kept: those whose repeat is known as one.
    static let capacity = 200

    /// On disk, where V1's adapter looks, too, when V1 takes over again.
    private struct Kept: Codable, Hashable {
        /// Whose the vendor's outbox is.
        var owner: String?
        var others: [String: [OutboxEntry]] = [:]
        /// Those that were on their way once, and may have arrived, oldest first; nil where none was ever tried.
        var tried: [String]?
    }

    private let outbox: Outbox
    private let legacy: LegacyState
    private let url: URL
    private let issues: IssueSink
    private var told: Set<String> = []
    private var attempts = AttemptLedger()
    /// What is being sent of each user's: until it has been, the outbox is not handed on.
    private var sendings: [String: Int] = [:]
    /// For whatever changes whose it is, or what is in it.
    private let turnstile = AsyncMutex()
    /// Whose it is for certain; nil while it is handed on.
    private var owner: String?

    init(_ outbox: Outbox, directory: String, issues: IssueSink) {
        self.outbox = outbox
        legacy = LegacyState(directory: directory)
        url = URL(fileURLWithPath: directory + "/sanctuary.unsent.json")
        self.issues = issues
    }

    /// Makes the vendor's outbox this user's, and gives it what V1 could not send. What goes wrong, and what stays with V1, is
    /// told as an issue, once; nothing is lost by it. Given up, it does nothing.
    ///
    /// - Parameter takingOver: whether V1 is at rest: what both had, both would send.
    func prepare(for user: String, takingOver: Bool) async {
        do { try await turnstile.enter() } catch { return }
        defer { turnstile.leave() }
        do {
            if owner != user { owner = nil }
            try await hand(to: user)
            owner = user
        } catch {
            owner = nil
            return tell(error, user)
        }
        guard takingOver else { return }
        do {
            try await takeOver(for: user)
        } catch {
            tell(error, user)
        }
    }

    /// Runs `deliver`, which sends what is in the outbox, if there is anything of this user's in it. It is noted before, because
    /// the answer may never come: then V1 must not send it as well.
    ///
    /// - Returns: nil if there is nothing.
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
            forget(attempts.end(ids, .happened))
            return value
        } catch {
            forget(attempts.end(ids, SendMark.leavesOpen(error) ? .unknown : .refused))
            throw error
        }
    }

    /// Puts one into the vendor's outbox that was on its way once, and may have arrived: delivered from
    /// there, it is recorded once, however often.
    ///
    /// - Returns: whether it was such a one.
    func putAgain(_ draft: MessageDraft, of user: String) async throws -> Bool {
        guard owner == user, try load().tried?.contains(draft.key) ?? false else { return false }
        try await outbox.add([OutboxEntry(localId: draft.key, text: draft.text)])
        return true
    }

    /// Runs `send`, which sends one, and keeps that if the vendor cannot be reached: the SDK does so only where it did not need a
    /// new token first, and whichever user's its outbox is. It is noted before as far as that is possible, so that a repeat is known
    /// as one.
    ///
    /// - Throws: what `send` throws, or that it cannot be kept.
    func sending<Value: Sendable>(
        _ draft: MessageDraft,
        of user: String,
        _ send: @Sendable () async throws -> Value
    ) async throws -> Value {
        begin(user)
        defer { end(user) }
        let kept = try await outbox.entries().map(\.localId)
        let wasKept = kept.contains(draft.key)
        do { try note([draft.key], kept: kept) } catch { tell(error, user) }
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
                throw SanctuaryError(.unknown, "it could not be sent, and cannot be kept", subject: url.path)
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

    /// The oldest notes make room, except of what is kept: V1 would send that as well.
    ///
    /// - Parameter kept: what is in the vendor's outbox.
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
        // Those that stay noted stay with V2: no more than that.
        do { try change { $0.tried?.removeAll(where: ids.contains) } } catch {}
    }

    private func tell(_ error: any Error, _ user: String) {
        tell("the outbox: \(portError(error, now: Instant(millisecondsSince1970: 0)))", at: "outbox", user)
    }

    private func tell(_ what: String, at path: String, _ raw: String) {
        guard told.insert("\(what) \(path) \(raw)").inserted else { return }
        issues.report([TranslationIssue(what, at: path, raw: raw, severity: .warning)], of: "unsent")
    }

    private func takeOver(for user: String) async throws {
        let (untried, tried) = try legacy.unsent(by: user)
        for id in tried { tell("nobody knows whether V1 has sent it: it stays with V1", at: "message", id) }
        guard !untried.isEmpty else { return }
        try await outbox.add(untried)
        try legacy.forget(untried, by: user)
    }

    /// Each step may be the last one before a crash, and is repeated then.
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

    /// At once, so that no other change comes between.
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
