import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import Testing

/// Checks that an order is in the list while it is being placed, and is removed if that fails.
@Suite struct PlacingOrderTests {
    private let hay = [OrderInput(article: "hay for @tiger", quantity: 1, price: "4.50")]
    private let vendor = Vendor()

    /// Stores orders, and answers the first new one when the test allows it.
    private final class Vendor: Sendable {
        let orders = Mutex<[Order]>([Vendor.order("1", [])])
        let walks = Counter()
        let placed = Counter()
        let accountReads = Counter()
        let names = Mutex("tiger")
        private let gate = Mutex<(waiting: CheckedContinuation<Void, any Error>?, isReached: Bool)>((nil, false))

        static func order(_ id: String, _ lines: [OrderLine]) -> Order {
            Order(id: OrderID(id), status: .authorized, lines: lines, placedAt: Instant(millisecondsSince1970: 0))
        }

        var animal: Animal {
            let name = names.withLock { $0 }
            return Animal(
                id: AnimalID("t"),
                name: name,
                displayName: name,
                group: .mammal,
                legs: .known(4),
                heads: .known(1)
            )
        }

        func place(_ draft: OrderDraft) async throws -> Order {
            placed.add()
            if placed.count == 1 {
                try await withCheckedThrowingContinuation { continuation in
                    gate.withLock { $0 = (continuation, true) }
                }
            }
            let order = Self.order("2", draft.lines)
            orders.withLock { $0.append(order) }
            return order
        }

        func waitForCall() async { while !gate.withLock({ $0.isReached }) { await Task.yield() } }
        func answer(_ result: Result<Void, any Error>) { gate.withLock { $0.waiting.take() }?.resume(with: result) }
    }

    private var features: Features {
        Ports(
            animals: { [vendor] _ in Page(items: [vendor.animal], next: nil) },
            animal: { [vendor] _ in vendor.animal },
            orders: { [vendor] _ in
                vendor.walks.add()
                return Page(items: vendor.orders.withLock { $0 }, next: nil)
            },
            place: { [vendor] in try await vendor.place($0) },
            account: { [vendor] in
                vendor.accountReads.add()
                return .signedIn(Account(id: "amara", displayName: "Amara", currency: .eur))
            },
            signIn: { Account(id: $0.user, displayName: "Kenji", currency: .jpy) }
        ).features()
    }

    private func shown(_ features: Features) -> [String] {
        (features.orders.all.snapshot.contents ?? []).map { order in
            let articles = order.shown.lines.map(\.article).joined()
            return "\(order.id) \(order.shown.status) \(articles)\(order.isPending ? "…" : "")"
        }
    }

    @Test func `it is pending at once, and recorded afterwards`() async throws {
        let features = features
        _ = try await features.catalogue.animals()
        _ = try await features.orders.orders()
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        #expect(shown(features) == ["1 authorized ", "pending:key pending hay for @tiger…"])
        vendor.answer(.success(()))
        #expect(try await placing.value.id == OrderID("2"))
        #expect(shown(features) == ["1 authorized ", "2 authorized hay for @tiger"])
        #expect(vendor.walks.count == 1)
        #expect(features.orders.all.needsSync)
    }

    @Test func `a screen that shows the list reads it again`() async throws {
        let features = features
        let screen = features.orders.all.activate()
        defer { screen.cancel() }
        try await features.orders.all.wait(for: .success)
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        vendor.answer(.success(()))
        _ = try await placing.value
        while vendor.walks.count < 2 { await Task.yield() }
        try await features.orders.all.wait(for: .settled)
        #expect(shown(features) == ["1 authorized ", "2 authorized hay for @tiger"])
    }

    @Test func `a pending order is neither shown to nor placed for a user who signs in meanwhile`() async throws {
        let features = features
        _ = try await features.orders.orders()
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        let reads = vendor.accountReads.count
        let waiting = Task { try await features.orders.place(hay) }
        while vendor.accountReads.count == reads { await Task.yield() }
        _ = try await features.account.signIn(user: "kenji", password: "sandbox")
        _ = try await features.orders.orders()
        vendor.answer(.success(()))
        #expect(try await placing.value.id == OrderID("2"))
        let error = await #expect(throws: SanctuaryError.self) { try await waiting.value }
        #expect(error?.code == .authenticationRequired)
        #expect(vendor.placed.count == 1)
        #expect(shown(features) == ["1 authorized "])
    }

    @Test func `refused, it was never there, and the error is the caller's`() async throws {
        let features = features
        _ = try await features.orders.orders()
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        #expect(shown(features).count == 2)
        vendor.answer(.failure(SanctuaryError(.invalidRequest, "no hay")))
        let error = await #expect(throws: SanctuaryError.self) { try await placing.value }
        #expect(error?.code == .invalidRequest)
        #expect(shown(features) == ["1 authorized "])
        #expect(features.orders.all.snapshot.error == nil)
    }

    @Test func `refused after something else has changed in the list, it is removed, and the change stays`()
        async throws
    {
        let features = features
        _ = try await features.catalogue.animals()
        vendor.orders.withLock {
            $0 = [Vendor.order("1", [OrderLine(article: "@tiger", quantity: 1, unitPrice: price)])]
        }
        _ = try await features.orders.orders()
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        vendor.names.withLock { $0 = "Shere Khan" }
        _ = try await features.catalogue.animal(AnimalID("t"))
        #expect(shown(features).first == "1 authorized @Shere Khan")
        #expect(shown(features).count == 2)
        vendor.answer(.failure(SanctuaryError(.invalidRequest, "no hay")))
        await #expect(throws: SanctuaryError.self) { try await placing.value }
        #expect(shown(features) == ["1 authorized @Shere Khan"])
    }

    @Test func `before the list is loaded, a placed order is not shown as if it were the whole list`() async throws {
        let features = features
        let placing = Task { try await features.orders.place(hay) }
        await vendor.waitForCall()
        #expect(features.orders.all.snapshot.contents == nil)
        vendor.answer(.success(()))
        _ = try await placing.value
        #expect(features.orders.all.snapshot.contents == nil)
        #expect(try await features.orders.orders().count == 2)
    }

    private var price: Money { Money(minorUnits: 450, currency: .eur) }
}
