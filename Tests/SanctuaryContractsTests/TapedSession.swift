#if Sandbox
import CofferdamContracts
import SanctuaryDomain

/// An app's calls to all six ports on one day, with their results, as lines of text to compare.
struct TapedSession {
    private(set) var lines: [String] = []
    private let services: SanctuaryServices

    /// - Parameter isSubscribed: returns once the vendor serves the stream of messages.
    init(
        over services: SanctuaryServices,
        as credentials: Credentials,
        isSubscribed: () async throws -> Void = {}
    ) async throws {
        self.services = services
        await say("before") { try await services.accounts.state() }
        await say("unknown user") { try await services.orders.orders(PageRequest()) }
        await say("sign in") { try await services.accounts.signIn(credentials) }
        try await catalogue()
        try await accessories()
        try await orders()
        try await messages(isSubscribed)
        await say("sign out") { try await services.accounts.signOut() }
        await say("after") { try await services.accounts.state() }
        await services.close()
    }

    private mutating func say<Value>(_ what: String, _ call: () async throws -> Value) async {
        do { lines.append("\(what): \(try await call())") } catch { lines.append("\(what): threw \(error)") }
    }

    private mutating func catalogue() async throws {
        let (catalogue, photos) = (services.catalogue, services.photos)
        let first = try await catalogue.animals(AnimalsRequest(PageRequest(limit: 3)))
        lines.append("\(first)")
        await say("next page") {
            try await catalogue.animals(AnimalsRequest(PageRequest(cursor: first.next, limit: 3)))
        }
        await say("a group") { try await catalogue.animals(AnimalsRequest(PageRequest(limit: 3), group: .fish)) }
        await say("foreign cursor") {
            try await catalogue.animals(AnimalsRequest(PageRequest(cursor: Cursor("foreign"))))
        }
        for animal in first.items {
            await say("animal") { try await catalogue.animal(animal.id) }
            await say("photo") { try await photos.photo(of: animal.id) }
        }
        await say("nobody") { try await catalogue.animal(AnimalID("nobody")) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await catalogue.animals(AnimalsRequest(PageRequest(limit: 7)))
        }
        await say("cancelled") { try await cancelled.value }
    }

    private mutating func accessories() async throws {
        let (accessories, scale) = (services.accessories, AccessoryID("scale-1"))
        var events = accessories.events().makeAsyncIterator()
        lines.append("event: \(String(describing: try await events.next(isolation: nil)))")
        await say("accessories") { try await accessories.accessories() }
        await say("scan") { try await accessories.scan() }
        await say("activate") { try await accessories.activate(scale) }
        while let event = try await events.next(isolation: nil) {
            lines.append("event: \(event)")
            if case .changed(let accessory) = event, accessory.id == scale, accessory.link == .active { break }
        }
        await say("perform") { try await accessories.perform(.identify, on: scale) }
        await say("name") { try await accessories.setNickname("Argus", of: scale) }
        await say("names") { try await accessories.nicknames().map { "\($0.key): \($0.value)" }.sorted() }
        await say("release") { try await accessories.release(scale) }
        await say("activate nobody's") { try await accessories.activate(AccessoryID("nobody's")) }
    }

    private mutating func orders() async throws {
        let (orders, meat) = (
            services.orders, OrderLine(article: "meat", quantity: 2, unitPrice: .init(minorUnits: 450, currency: .eur))
        )
        let placed = try await orders.place(OrderDraft(lines: [meat], key: "taped"))
        lines.append("placed: \(placed)")
        await say("order") { try await orders.order(placed.id) }
        await say("orders") { try await orders.orders(PageRequest(limit: 50)) }
        await say("no lines") { try await orders.place(OrderDraft(lines: [], key: "wrong")) }
    }

    private mutating func messages(_ isSubscribed: () async throws -> Void) async throws {
        let messages = services.messages
        let events = messages.events()
        let received = Task { () async throws -> MessageEvent? in
            for try await event in events { return event }
            return nil
        }
        try await isSubscribed()
        await say("sent") { try await messages.send(MessageDraft(text: "the hydra is fed", key: "taped")) }
        // A message that was not sent never arrives.
        if lines.last?.hasPrefix("sent: threw") == true { received.cancel() }
        await say("event") { try await received.value }
        await say("messages") { try await messages.messages(PageRequest(limit: 50)) }
        await say("empty") { try await messages.send(MessageDraft(text: "", key: "empty")) }
    }
}
#endif
