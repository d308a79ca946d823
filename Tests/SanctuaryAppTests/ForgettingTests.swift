import Cofferdam
import CofferdamState
import CofferdamStore
import SanctuaryApp
import SanctuaryDomain
import Testing

/// Checks that after signing out, the next user never sees the previous user's data, even if the disk keeps it.
@Suite final class ForgettingTests: Sendable {
    private let cache = StubbornCache()
    private let user = Mutex<String?>("amara")
    private let isDown = Mutex(false)
    private let calls = Mutex<[String]>([])

    private static let order = Order(
        id: OrderID("o"),
        status: .pending,
        lines: [OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))],
        placedAt: Instant(millisecondsSince1970: 5)
    )
    private static let message = Message(
        id: MessageID("m"),
        author: "a",
        text: "t",
        sentAt: Instant(millisecondsSince1970: 6)
    )

    /// Launches the app.
    private func start() -> Features {
        let vendor = { @Sendable [self] () throws in
            if isDown.withLock({ $0 }) { throw SanctuaryError(.unreachable, "down") }
        }
        return Ports(
            animals: { _ in Page(items: [], next: nil) },
            orders: { _ in
                try vendor()
                return Page(items: [Self.order], next: nil)
            },
            messages: { _ in
                try vendor()
                return Page(items: [Self.message], next: nil)
            },
            account: { [self] in user.withLock { $0 }.map { .signedIn(Self.account($0)) } ?? .signedOut },
            signIn: { [self] credentials in
                calls.withLock { $0.append("signIn") }
                user.withLock { $0 = credentials.user }
                return Self.account(credentials.user)
            },
            signOut: { [self] in
                calls.withLock { $0.append("signOut") }
                user.withLock { $0 = nil }
            }
        ).features(storage: ListStorage(cache, timeSince1970: { .zero }))
    }

    private static func account(_ name: String) -> Account { Account(id: name, displayName: name, currency: .eur) }

    /// Launches the app, loads everything as Amara, and makes the vendor unreachable.
    private func startAndLoad() async throws -> Features {
        let features = start()
        _ = try await features.orders.orders()
        _ = try await features.conversation.history()
        await features.save()
        isDown.withLock { $0 = true }
        #expect(try await features.orders.latest().value.map(\.order) == [Self.order])
        return features
    }

    private func expectNothing(_ features: Features, sourceLocation: SourceLocation = #_sourceLocation) async {
        await #expect(throws: SanctuaryError.self, sourceLocation: sourceLocation) {
            try await features.orders.latest()
        }
        await #expect(throws: SanctuaryError.self, sourceLocation: sourceLocation) {
            try await features.conversation.latest()
        }
        #expect(features.orders.all.snapshot.contents == nil, sourceLocation: sourceLocation)
        #expect(features.conversation.all.snapshot.contents == nil, sourceLocation: sourceLocation)
    }

    @Test func `a sign-out succeeds and throws the lists that could not be deleted`() async throws {
        let features = try await startAndLoad()
        cache.isStuck = true
        let error = await #expect(throws: FeatureError.self) { try await features.account.signOut() }
        #expect(error?.code == .notForgotten)
        #expect(error?.subject == "orders")
        #expect(calls.withLock { $0 } == ["signOut"])
        #expect(await cache.bytes(for: "orders") != nil, "else there would be nothing to show")
        await expectNothing(features)
        await expectNothing(start())
    }

    @Test func `what the disk has kept of one user is not shown to the next, in this life of the app or a later one`()
        async throws
    {
        let features = try await startAndLoad()
        cache.isStuck = true
        await #expect(throws: FeatureError.self) { try await features.account.signOut() }
        user.withLock { $0 = "kenji" }
        await expectNothing(features)
        await expectNothing(start())
        user.withLock { $0 = "amara" }
        #expect(try await start().orders.latest().value.map(\.order) == [Self.order], "it was hers")
    }

    @Test func `both lists are forgotten, whichever of them cannot be`() async throws {
        let features = try await startAndLoad()
        cache.stuckKeys = ["orders"]
        await #expect(throws: FeatureError.self) { try await features.account.signOut() }
        #expect(await cache.bytes(for: "messages") == nil)
    }

    @Test func `a sign-in fails without asking the vendor while the previous lists cannot be deleted`() async throws {
        let features = try await startAndLoad()
        cache.isStuck = true
        let error = await #expect(throws: FeatureError.self) {
            _ = try await features.account.signIn(user: "kenji", password: "sandbox")
        }
        #expect(error?.code == .notForgotten)
        #expect(calls.withLock { $0 } == [])
        cache.isStuck = false
        _ = try await features.account.signIn(user: "kenji", password: "sandbox")
        await expectNothing(features)
        #expect(await cache.bytes(for: "orders") == nil)
    }

    @Test func `without a signed-in user no list is saved or restored`() async throws {
        user.withLock { $0 = nil }
        let features = start()
        _ = try await features.conversation.history()
        await features.save()
        #expect(await cache.bytes(for: "messages") == nil)
    }

    @Test func `a list that an earlier version saved without an owner is not restored`() async throws {
        let record = #"{"loadedAt":0,"items":[{"id":"m","author":"a","text":"t","sentAt":6,"texts":[]}]}"#
        try await cache.set(Array(record.utf8), for: "messages")
        isDown.withLock { $0 = true }
        await #expect(throws: SanctuaryError.self) { try await start().conversation.latest() }
    }
}

/// A cache that can remove nothing while it is stuck, as on a read-only disk.
private final class StubbornCache: ModelCache {
    struct Stuck: Error {}

    private let kept = MemoryCache()
    private let stuck = Mutex<Set<String>>([])

    var stuckKeys: Set<String> {
        get { stuck.withLock { $0 } }
        set { stuck.withLock { $0 = newValue } }
    }
    var isStuck: Bool {
        get { !stuckKeys.isEmpty }
        set { stuckKeys = newValue ? ["orders", "messages"] : [] }
    }

    func bytes(for key: String) async -> [UInt8]? { await kept.bytes(for: key) }

    func set(_ bytes: [UInt8]?, for key: String) async throws {
        if stuckKeys.contains(key) { throw Stuck() }
        await kept.set(bytes, for: key)
    }

    func removeAll() async throws {
        if isStuck { throw Stuck() }
        await kept.removeAll()
    }
}
