import Cofferdam
import CofferdamContracts
import Testing

/// Checks what LIST-16 finds with two users, on inboxes that hold other letters for each.
@Suite struct TwoUsersTests {
    private final class Post: Sendable {
        let letters = Mutex<[String: [String]]>([:])
        /// The pages that a careless instance keeps for all others.
        let pages = Mutex<[ListQuery: ListPage<String>]>([:])

        func seed(_ count: Int, for user: String) -> [String] {
            pages.withLock { $0 = [:] }
            return letters.withLock { letters in
                let own = (0..<count).map { "\(user)'s letter \($0)" }
                letters[user] = own
                return own
            }
        }
    }

    private final class Reader: Sendable {
        let name = Mutex("ann")
    }

    private struct Inbox: Sendable {
        let post: Post
        let reader = Reader()
        var letters: @Sendable (ListQuery) async throws -> ListPage<String>
        var openAnother: @Sendable (()) async throws -> Inbox

        init(keepsPages: Bool = false, _ post: Post = Post()) {
            self.post = post
            letters = { [reader] query in
                if keepsPages, let kept = post.pages.withLock({ $0[query] }) { return kept }
                let own = post.letters.withLock { $0[reader.name.withLock(\.self)] ?? [] }
                let start = query.cursor.flatMap { Int($0) } ?? 0
                let items = Array(own.dropFirst(start).prefix(query.limit))
                let end = start + items.count
                let page = ListPage(items: items, next: end < own.count ? "\(end)" : nil)
                post.pages.withLock { $0[query] = page }
                return page
            }
            openAnother = { _ in Inbox(keepsPages: keepsPages, post) }
        }
    }

    private static func list(
        seedOther: (@Sendable (Inbox, _ count: Int) async throws -> [String])? = { $0.post.seed($1, for: "bob") }
    ) -> ListOperation<Inbox, String> {
        ListOperation(
            call: call("letters", \.letters),
            instances: ListInstances(
                another: call("open another", \.openAnother),
                otherUser: .init(
                    signIn: { inbox in inbox.reader.name.withLock { $0 = "bob" } },
                    seed: seedOther
                ),
                close: { _ in }
            ),
            isInvalidCursor: { _ in false },
            seed: { $0.post.seed($1, for: "ann") },
            setQuirk: { _, _ in },
            expireCursors: { _ in }
        )
    }

    private static func call<Input: Sendable, Output: Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Inbox, PortCall<Inbox, Input, Output>.Perform> & Sendable
    ) -> PortCall<Inbox, Input, Output> {
        PortCall(
            name,
            get: { $0[keyPath: path] },
            replace: { inbox, perform in
                var inbox = inbox
                inbox[keyPath: path] = perform
                return inbox
            }
        )
    }

    private static func adapter(keepsPages: Bool = false) -> AdapterUnderTest<Inbox> {
        AdapterUnderTest(name: "inbox", capabilities: ["instances"]) { Inbox(keepsPages: keepsPages) }
    }

    private static let rules = list().rules.filter { $0.id == "LIST-16" }

    @Test func `each user's walk shows what it shows alone`() async throws {
        let report = await ContractRunner(rules: Self.rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.map(\.outcome) == [.passed])
    }

    @Test func `pages that are kept for all users show one user's letters to the other`() async throws {
        let report = await ContractRunner(rules: Self.rules, adapters: [Self.adapter(keepsPages: true)]).run()
        let row = try #require(report.rows.first)
        #expect(row.outcome == .failed)
        #expect(row.detail?.contains("of one user, order 1: expected 25 items, got 24, 25 missing") == true)
        #expect(row.detail?.contains("on the other") == false, "\(row.detail ?? "")")
    }

    @Test func `one user for all instances is a mutant where users have items of their own`() async {
        let mutants = Self.list().mutants.filter { $0.rule == "LIST-16" }
        let report = await MutationRunner(rules: Self.rules, adapter: Self.adapter()).run(mutants)
        #expect(report.rows.map(\.outcome) == [.killed, .killed])
        #expect(Self.list(seedOther: nil).mutants.filter { $0.rule == "LIST-16" }.count == 1)
    }
}
