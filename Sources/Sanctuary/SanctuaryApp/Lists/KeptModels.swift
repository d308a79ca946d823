import SanctuaryDomain

/// The shapes in which models are kept. A field is added as an optional one: what an older version kept is read too.
struct KeptAnimal: Codable {
    var id: String
    var name: String
    var displayName: String
    var group: String
    var legs: KeptCount
    var heads: KeptCount

    init(_ animal: Animal) {
        id = animal.id.rawValue
        name = animal.name
        displayName = animal.displayName
        group = animal.group.description
        legs = KeptCount(animal.legs)
        heads = KeptCount(animal.heads)
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

enum KeptCount: Codable {
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

/// A text's pieces, with whom they meant: a name that is another animal's by now must not mean that one.
struct KeptText: Codable {
    struct Part: Codable {
        var written: String
        var animal: KeptAnimal?
    }

    var parts: [Part]

    init(_ text: MentioningText) {
        parts = text.parts.map { Part(written: $0.written, animal: $0.animal.map(KeptAnimal.init)) }
    }

    var text: MentioningText {
        MentioningText(parts: parts.map { MentioningText.Part($0.written, animal: $0.animal?.animal) })
    }
}

struct KeptOrder: Codable {
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
    var texts: [KeptText]
}

struct KeptMessage: Codable {
    var id: String
    var author: String
    var text: String
    var sentAt: Int64
    var texts: [KeptText]
}

extension Animal: KeptModel {
    var kept: KeptAnimal { KeptAnimal(self) }
    init(_ kept: KeptAnimal) { self = kept.animal }
}

extension ShownMessage: KeptModel {
    var kept: KeptMessage {
        KeptMessage(
            id: message.id.rawValue,
            author: message.author,
            text: message.text,
            sentAt: message.sentAt.millisecondsSince1970,
            texts: texts.map(KeptText.init)
        )
    }

    init(_ kept: KeptMessage) {
        let message = Message(
            id: MessageID(kept.id),
            author: kept.author,
            text: kept.text,
            sentAt: Instant(millisecondsSince1970: kept.sentAt)
        )
        self.init(message, texts: kept.texts.map(\.text))
    }
}

extension ShownOrder: KeptModel {
    var isLasting: Bool { !isPending }

    var kept: KeptOrder {
        KeptOrder(
            id: order.id.rawValue,
            status: order.status.description,
            lines: order.lines.map { line in
                KeptOrder.Line(
                    article: line.article,
                    quantity: line.quantity,
                    minorUnits: line.unitPrice.minorUnits,
                    currency: line.unitPrice.currency.code
                )
            },
            placedAt: order.placedAt.millisecondsSince1970,
            texts: texts.map(KeptText.init)
        )
    }

    init(_ kept: KeptOrder) throws {
        let order = Order(
            id: OrderID(kept.id),
            status: Self.statuses[kept.status] ?? .unknown(kept.status),
            lines: try kept.lines.map { line in
                guard let currency = Currency(line.currency) else {
                    throw UnreadableContents(what: "the currency \(line.currency)")
                }
                let price = Money(minorUnits: line.minorUnits, currency: currency)
                return OrderLine(article: line.article, quantity: line.quantity, unitPrice: price)
            },
            placedAt: Instant(millisecondsSince1970: kept.placedAt)
        )
        self.init(order, texts: kept.texts.map(\.text))
    }

    private static let statuses = Dictionary(
        uniqueKeysWithValues: [
            OrderStatus.pending, .authorized, .captured, .shipped, .cancelled, .partiallyRefunded,
        ].map { ($0.description, $0) }
    )
}
