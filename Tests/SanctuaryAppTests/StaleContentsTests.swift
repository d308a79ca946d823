import Cofferdam
import CofferdamState
import CofferdamStore
import SanctuaryApp
import SanctuaryDomain
import Testing

/// Checks that old contents stay readable during a refresh, after a failed one, and in the next launch.
@Suite struct StaleContentsTests {
    private let account = Account(id: "amara", displayName: "Amara", currency: .eur)

    private func animal(_ id: String) -> Animal {
        Animal(id: AnimalID(id), name: id, displayName: id, group: .bird, legs: .ambiguousZero, heads: .unknown)
    }

    private func storage(_ cache: MemoryCache, _ reports: Counter = Counter()) -> ListStorage {
        ListStorage(cache, timeSince1970: { .zero }) { _ in reports.add() }
    }

    @Test func `a refresh that fails leaves the catalogue, its houses and the error`() async throws {
        let isDown = Mutex(false)
        let emu = animal("emu")
        let catalogue = Ports(animals: { _ in
            if isDown.withLock({ $0 }) { throw SanctuaryError(.unreachable, "down") }
            return Page(items: [emu], next: nil)
        }).features().catalogue
        let fresh = try await catalogue.latest()
        #expect(fresh.error == nil && fresh.value.animals == [emu])
        isDown.withLock { $0 = true }
        let stale = try await catalogue.latest(kind: .regular)
        #expect((stale.error as? SanctuaryError)?.code == .unreachable)
        #expect(stale.value.animals == [emu])
        #expect(stale.age != nil)
        #expect(catalogue.regular.snapshot.state == .failed)
        #expect(catalogue.regular.snapshot.contents == [emu])
        #expect(catalogue.mythological.snapshot.contents == [])
    }

    @Test func `yesterday's catalogue is shown while today's is on its way`() async throws {
        let cache = MemoryCache()
        let emu = animal("emu")
        let yesterday = Ports(animals: { _ in Page(items: [emu], next: nil) }).features(storage: storage(cache))
        _ = try await yesterday.catalogue.animals()
        await yesterday.save()

        let isReleased = Mutex(false)
        let rhea = animal("rhea")
        let catalogue = Ports(animals: { _ in
            while !isReleased.withLock({ $0 }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            return Page(items: [rhea], next: nil)
        }).features(storage: storage(cache)).catalogue
        async let refreshing: Void = catalogue.refresh()
        try await catalogue.regular.wait(for: .contents)
        #expect(catalogue.regular.snapshot.contents == [emu])
        #expect(catalogue.all.snapshot.state == .syncing)
        #expect(Array(catalogue.current) == [emu])
        isReleased.withLock { $0 = true }
        try await refreshing
        #expect(catalogue.regular.snapshot.contents == [rhea])
    }

    @Test
    func `an animal is shown from an earlier catalogue where the vendor is out of reach, and not where it is gone`()
        async throws
    {
        let cache = MemoryCache()
        let emu = animal("emu")
        let yesterday = Ports(animals: { _ in Page(items: [emu], next: nil) }).features(storage: storage(cache))
        _ = try await yesterday.catalogue.animals()
        await yesterday.save()
        for (code, isShown) in [(SanctuaryError.Code.unreachable, true), (.notFound, false)] {
            let catalogue = Ports(
                animals: { _ in throw SanctuaryError(code, "no") },
                animal: { _ in throw SanctuaryError(code, "no") }
            ).features(storage: storage(cache)).catalogue
            let latest = try? await catalogue.latest(emu.id)
            #expect(latest?.value == (isShown ? emu : nil), "\(code)")
        }
    }

    @Test func `what cannot be read is reported, and as if it had never been kept`() async throws {
        let cache = MemoryCache()
        await cache.set(Array("nonsense".utf8), for: "animals")
        let reports = Counter()
        let emu = animal("emu")
        let features = Ports(animals: { _ in Page(items: [emu], next: nil) }).features(storage: storage(cache, reports))
        #expect(try await features.catalogue.animals().animals == [emu])
        #expect(reports.count == 1)
    }

    @Test(arguments: [SanctuaryError.Code.authenticationRequired, .forbidden, .closed])
    func `a user without permission does not see old orders`(code: SanctuaryError.Code) async throws {
        let isDown = Mutex(false)
        let account = account
        let orders = Ports(
            orders: { _ in
                if isDown.withLock({ $0 }) { throw SanctuaryError(code, "no") }
                return Page(items: [], next: nil)
            },
            account: { .signedIn(account) }
        ).features().orders
        _ = try await orders.latest()
        isDown.withLock { $0 = true }
        await #expect(throws: SanctuaryError.self) { try await orders.latest() }
    }

    @Test(arguments: [true, false])
    func `one user's lists are neither shown to the next nor saved`(signsOut: Bool) async throws {
        let cache = MemoryCache()
        let account = account
        let order = Order(
            id: OrderID("o"),
            status: .unknown("on fire"),
            lines: [OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .kwd))],
            placedAt: Instant(millisecondsSince1970: 5)
        )
        let message = Message(id: MessageID("m"), author: "a", text: "t", sentAt: Instant(millisecondsSince1970: 6))
        let isDown = Mutex(false)
        let ports = Ports(
            orders: { _ in
                if isDown.withLock({ $0 }) { throw SanctuaryError(.unreachable, "down") }
                return Page(items: [order], next: nil)
            },
            messages: { _ in
                if isDown.withLock({ $0 }) { throw SanctuaryError(.unreachable, "down") }
                return Page(items: [message], next: nil)
            },
            account: { .signedIn(account) },
            signIn: { _ in account },
            signOut: {}
        )
        let features = ports.features(storage: storage(cache))
        _ = try await features.orders.orders()
        _ = try await features.conversation.history()
        await features.save()
        isDown.withLock { $0 = true }
        let again = ports.features(storage: storage(cache))
        #expect(try await again.orders.latest().value.map(\.order) == [order])
        #expect(try await again.conversation.latest().value == [message])

        if signsOut {
            try await again.account.signOut()
        } else {
            _ = try await again.account.signIn(user: "kenji", password: "sandbox")
        }
        #expect(again.orders.all.snapshot.contents == nil && again.conversation.all.snapshot.contents == nil)
        await #expect(throws: SanctuaryError.self) { try await again.orders.latest() }
        await #expect(throws: SanctuaryError.self) { try await again.conversation.latest() }
        let next = ports.features(storage: storage(cache))
        await #expect(throws: SanctuaryError.self) { try await next.orders.latest() }
        await #expect(throws: SanctuaryError.self) { try await next.conversation.latest() }
    }

    @Test func `a save during a sign-out is not kept`() async throws {
        let cache = SlowCache()
        let account = account
        let message = Message(id: MessageID("m"), author: "a", text: "t", sentAt: Instant(millisecondsSince1970: 6))
        let features = Ports(
            messages: { _ in Page(items: [message], next: nil) },
            account: { .signedIn(account) },
            signOut: {}
        ).features(storage: ListStorage(cache, timeSince1970: { .zero }))
        _ = try await features.conversation.history()
        async let saving: Void = features.save()
        while !cache.isWriting { await Task.yield() }
        try await features.account.signOut()
        await saving
        #expect(await cache.bytes(for: "messages") == nil)
    }

    @Test func `contents that arrive during a sign-out are deleted, also if it is cancelled`() async throws {
        let account = account
        let message = Message(id: MessageID("m"), author: "a", text: "t", sentAt: Instant(millisecondsSince1970: 6))
        let shown = Mutex<Features?>(nil)
        let features = Ports(
            messages: { _ in Page(items: [message], next: nil) },
            account: { .signedIn(account) },
            signOut: {
                _ = try await shown.withLock { $0 }?.conversation.history()
                throw CancellationError()
            }
        ).features()
        shown.withLock { $0 = features }
        await #expect(throws: CancellationError.self) { try await features.account.signOut() }
        #expect(features.conversation.all.snapshot.contents == nil)
    }

    @Test func `messages of the previous user are not shown to the next`() async throws {
        let account = account
        let message = Message(id: MessageID("m"), author: "a", text: "t", sentAt: Instant(millisecondsSince1970: 6))
        let shown = Mutex<Features?>(nil)
        let features = Ports(
            messages: { _ in Page(items: [], next: nil) },
            send: { _ in
                if let features = shown.withLock({ $0 }) {
                    _ = try await features.account.signIn(user: "kenji", password: "sandbox")
                    _ = try await features.conversation.history()
                }
                return message
            },
            account: { .signedIn(account) },
            signIn: { _ in account }
        ).features()
        shown.withLock { $0 = features }
        #expect(try await features.conversation.send("t") == message)
        #expect(features.conversation.all.snapshot.contents?.isEmpty == true)
    }

    @Test func `a late response to the previous user is dropped`() async throws {
        let account = account
        let isAsked = Mutex(false)
        let isReleased = Mutex(false)
        let order = Order(id: OrderID("o"), status: .pending, lines: [], placedAt: Instant(millisecondsSince1970: 0))
        let features = Ports(
            orders: { _ in
                isAsked.withLock { $0 = true }
                // A vendor that ignores cancellation.
                while !isReleased.withLock({ $0 }) { await Task.yield() }
                return Page(items: [order], next: nil)
            },
            account: { .signedIn(account) },
            signOut: {}
        ).features()
        let asking = Task { try await features.orders.orders() }
        while !isAsked.withLock({ $0 }) { await Task.yield() }
        try await features.account.signOut()
        isReleased.withLock { $0 = true }
        await #expect(throws: (any Error).self) { try await asking.value }
        #expect(features.orders.all.snapshot.contents == nil)
    }
}

/// A cache that delays a write until after a removal that arrives soon enough.
private final class SlowCache: ModelCache {
    private let kept = MemoryCache()
    private let state = Mutex((isWriting: false, forgets: 0))

    var isWriting: Bool { state.withLock { $0.isWriting } }

    func bytes(for key: String) async -> [UInt8]? { await kept.bytes(for: key) }

    func set(_ bytes: [UInt8]?, for key: String) async {
        if bytes != nil {
            let before = state.withLock { state in
                state.isWriting = true
                return state.forgets
            }
            for _ in 0..<10_000 where state.withLock({ $0.forgets }) == before { await Task.yield() }
        }
        await kept.set(bytes, for: key)
        if bytes == nil { state.withLock { $0.forgets += 1 } }
    }

    func removeAll() async { await kept.removeAll() }
}
