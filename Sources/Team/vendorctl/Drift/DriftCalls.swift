#if Sandbox
import Cofferdam
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryHarness
import SanctuaryOperations
import SanctuaryRouting

extension DriftCall {
    /// The calls in the order in which they are made. Those that need no session come first.
    static let all: [DriftCall] = [
        DriftCall("capabilities", Comparator(), key: \.rawValue) {
            $0.capabilities.sorted { $0.rawValue < $1.rawValue }
        }
        .namingPresence(),
        DriftCall("animals", .animals, key: { "\($0.id)" }) { services in
            try await walk { try await services.catalogue.animals(AnimalsRequest($0)) }
        },
        DriftCall("animals of a group", .animals, key: { "\($0.id)" }) { services in
            try await walk { try await services.catalogue.animals(AnimalsRequest($0, group: .fish)) }
        },
        DriftCall("animal", .animals, key: { "\($0.id)" }) { services in
            var animals: [Animal] = []
            for id in samples { animals.append(try await services.catalogue.animal(id)) }
            return animals
        },
        DriftCall("photo", .pictures, key: { "\($0.id)" }) { services in
            var pictures: [Picture] = []
            for id in samples { pictures.append(Picture(id: id, photo: try await services.photos.photo(of: id))) }
            return pictures
        },
        DriftCall("accessories", .accessories, key: { "\($0.id)" }) { try await $0.accessories.accessories() },
        DriftCall("scan", .found, key: { "\($0.id)" }) { try await $0.accessories.scan() },
        DriftCall("nicknames", Comparator<Name>().field("nickname", \.text), key: \.subject) { services in
            try await services.accessories.nicknames().map { Name(subject: "\($0.key)", text: $0.value) }
        },
        refusal("unknown animal") { _ = try await $0.catalogue.animal(AnimalID("999999")) },
        refusal("no animal's id") { _ = try await $0.catalogue.animal(AnimalID("no id")) },
        refusal("foreign cursor") {
            _ = try await $0.catalogue.animals(AnimalsRequest(PageRequest(cursor: Cursor("x"))))
        },
        refusal("unknown accessory") { try await $0.accessories.activate(AccessoryID("none")) },
        refusal("orders, signed out") { _ = try await $0.orders.orders(PageRequest()) },
        refusal("wrong password") { _ = try await $0.accounts.signIn(Credentials(user: "noor", password: "wrong")) },
        DriftCall("sign in", .accounts, key: { _ in "account" }) {
            [try await $0.accounts.signIn(Credentials(user: "noor", password: "sandbox"))]
        },
        DriftCall("orders", .orders, key: { "\($0.id)" }) { services in
            try await walk { try await services.orders.orders($0) }
        },
        DriftCall("sign in again", .accounts, key: { _ in "account" }) {
            [try await $0.accounts.signIn(Credentials(user: "amara", password: "sandbox"))]
        },
        DriftCall("orders of another", .orders, key: { "\($0.id)" }) { services in
            try await walk { try await services.orders.orders($0) }
        },
        DriftCall("messages", .messages, key: { "\($0.id)" }) { services in
            try await walk { try await services.messages.messages($0) }
        },
        refusal("unknown order") { _ = try await $0.orders.order(OrderID("none")) },
        refusal("empty message") { _ = try await $0.messages.send(MessageDraft(text: "", key: "drift")) },
        DriftCall("sign out", Comparator<Name>().field("state", \.text), key: \.subject) { services in
            try await services.accounts.signOut()
            return [Name(subject: "state", text: "\(try await services.accounts.state())")]
        },
    ]

    /// The oldest animal, one whose id V2 spells in upper case, and a mythological one.
    private static let samples = ["1", "7", "102"].map { AnimalID($0) }

    /// A call that both sides must refuse with the same error.
    private static func refusal(
        _ name: String,
        _ call: @escaping @Sendable (SanctuaryServices) async throws -> Void
    ) -> DriftCall {
        DriftCall(name, Comparator<Name>(), isRefused: true, key: \.subject) { services in
            try await call(services)
            return []
        }
    }

    /// Uses the subject as the path, for values without fields, of which only the presence is compared.
    private func namingPresence() -> DriftCall {
        var call = self
        call.compare = { [compare] legacy, candidate in
            let (compared, differences) = compare(legacy, candidate)
            return (
                compared,
                differences.map { difference in
                    var difference = difference
                    difference.path = difference.subject
                    difference.legacy = difference.legacy.map { _ in "yes" }
                    difference.candidate = difference.candidate.map { _ in "yes" }
                    return difference
                }
            )
        }
        return call
    }

    /// Returns all items, following the cursors to the end.
    private static func walk<Item>(_ page: (PageRequest) async throws -> Page<Item>) async throws -> [Item] {
        var items: [Item] = []
        var request = PageRequest()
        repeat {
            let next = try await page(request)
            items += next.items
            request.cursor = next.next
        } while request.cursor != nil
        return items
    }
}

struct Name: Sendable {
    let subject: String
    let text: String
}

struct Picture: Sendable {
    let id: AnimalID
    let photo: Photo
}

extension Comparator<Picture> {
    fileprivate static var pictures: Self {
        Self().field("mediaType", \.photo.mediaType).field("bytes", \.photo.bytes) { "\($0.count) bytes" }
    }
}

extension Comparator<Accessory> {
    fileprivate static var accessories: Self { found.field("link", \.link) { $0.rawValue } }

    /// Compares an accessory without its link, which only the list compares.
    fileprivate static var found: Self {
        Self().field("name", \.name).field("battery", \.battery).field("lastSeen", \.lastSeen)
    }
}

extension Comparator<Order> {
    fileprivate static var orders: Self {
        Self().field("status", \.status).field("placedAt", \.placedAt).list("lines", \.lines, .lines)
    }
}

extension Comparator<OrderLine> {
    fileprivate static var lines: Self {
        Self().field("article", \.article).field("quantity", \.quantity).field("unitPrice", \.unitPrice)
    }
}

extension Comparator<Message> {
    fileprivate static var messages: Self {
        Self().field("author", \.author).field("text", \.text).field("sentAt", \.sentAt)
    }
}

extension Comparator<Account> {
    fileprivate static var accounts: Self {
        Self().field("displayName", \.displayName).field("currency", \.currency.code)
    }
}
#endif
