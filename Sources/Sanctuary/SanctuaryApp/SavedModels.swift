import CofferdamStore
import SanctuaryDomain

/// An animal in a saved list. Add properties to these records only as optionals, so that older lists remain readable.
struct SavedAnimal: Codable {
    var id: String
    var name: String
    var displayName: String
    var group: String
    var legs: CountRecord
    var heads: CountRecord

    init(_ animal: Animal) {
        id = animal.id.rawValue
        name = animal.name
        displayName = animal.displayName
        group = animal.group.description
        legs = CountRecord(animal.legs)
        heads = CountRecord(animal.heads)
    }

    var animal: Animal {
        Animal(
            id: AnimalID(id),
            name: name,
            displayName: displayName,
            group: AnimalGroup(group),
            legs: legs.count,
            heads: heads.count
        )
    }
}

enum CountRecord: Codable {
    case known(Int)
    case unknown, ambiguousZero

    init(_ count: Count) {
        self =
            switch count {
            case .known(let count): .known(count)
            case .unknown: .unknown
            case .ambiguousZero: .ambiguousZero
            }
    }

    var count: Count {
        switch self {
        case .known(let count): .known(count)
        case .unknown: .unknown
        case .ambiguousZero: .ambiguousZero
        }
    }
}

/// A text in a saved list, with the mentioned animals, because a name may belong to another animal when the list is
/// restored.
struct SavedText: Codable {
    struct Part: Codable {
        var written: String
        var animal: SavedAnimal?
    }

    var parts: [Part]

    init(_ text: MentioningText) {
        parts = text.parts.map { Part(written: $0.written, animal: $0.animal.map(SavedAnimal.init)) }
    }

    var text: MentioningText {
        MentioningText(parts: parts.map { MentioningText.Part($0.written, animal: $0.animal?.animal) })
    }
}

struct SavedOrder: Codable {
    struct Line: Codable {
        var article: String
        var quantity: Int
        var minorUnits: Int64
        var currency: String
    }

    var id: String
    var status: String
    var lines: [Line]
    var placedAt: Int64
    var texts: [SavedText]

    init(_ shown: ShownOrder) {
        let order = shown.order
        id = order.id.rawValue
        status = order.status.description
        lines = order.lines.map { line in
            Line(
                article: line.article,
                quantity: line.quantity,
                minorUnits: line.unitPrice.minorUnits,
                currency: line.unitPrice.currency.code
            )
        }
        placedAt = order.placedAt.millisecondsSince1970
        texts = shown.texts.map(SavedText.init)
    }

    var order: ShownOrder {
        get throws {
            let order = Order(
                id: OrderID(id),
                status: Self.statuses[status] ?? .unknown(status),
                lines: try lines.map { line in
                    guard let currency = Currency(line.currency) else { throw UnknownCurrency(code: line.currency) }
                    let price = Money(minorUnits: line.minorUnits, currency: currency)
                    return OrderLine(article: line.article, quantity: line.quantity, unitPrice: price)
                },
                placedAt: Instant(millisecondsSince1970: placedAt)
            )
            return ShownOrder(order, texts: texts.map(\.text))
        }
    }

    /// The error for a saved order whose price is in a currency that the app does not know.
    struct UnknownCurrency: Error { var code: String }

    private static let statuses = Dictionary(
        uniqueKeysWithValues: [
            OrderStatus.pending, .authorized, .captured, .shipped, .cancelled, .partiallyRefunded,
        ].map { ($0.description, $0) }
    )
}

struct SavedMessage: Codable {
    var id: String
    var author: String
    var text: String
    var sentAt: Int64
    var texts: [SavedText]

    init(_ shown: ShownMessage) {
        id = shown.message.id.rawValue
        author = shown.message.author
        text = shown.message.text
        sentAt = shown.message.sentAt.millisecondsSince1970
        texts = shown.texts.map(SavedText.init)
    }

    var message: ShownMessage {
        let message = Message(
            id: MessageID(id),
            author: author,
            text: text,
            sentAt: Instant(millisecondsSince1970: sentAt)
        )
        return ShownMessage(message, texts: texts.map(\.text))
    }
}

extension ListPersistence<Animal> {
    init(_ storage: ListStorage) {
        self.init(storage, key: "animals", record: SavedAnimal.init, model: \.animal)
    }
}

extension ListPersistence<ShownMessage> {
    init(_ storage: ListStorage, owner: ListOwner) {
        self.init(storage, key: "messages", owner: owner, record: SavedMessage.init, model: \.message)
    }
}

extension ListPersistence<ShownOrder> {
    init(_ storage: ListStorage, owner: ListOwner) {
        self.init(
            storage,
            key: "orders",
            owner: owner,
            isPersistent: { !$0.isPending },
            record: SavedOrder.init,
            model: { try $0.order }
        )
    }
}
