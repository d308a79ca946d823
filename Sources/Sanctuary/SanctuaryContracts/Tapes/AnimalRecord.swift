import CofferdamContracts
import SanctuaryDomain

/// A page on a tape.
struct PageRecord<Item: TapeRecord>: TapeRecord {
    var items: [Item]
    var next: String?

    init(_ page: Page<Item.Value>) {
        items = page.items.map { Item($0) }
        next = page.next?.rawValue
    }

    var value: Page<Item.Value> {
        get throws { Page(items: try items.value, next: next.map { Cursor($0) }) }
    }
}

struct AnimalRecord: TapeRecord {
    var id: String
    var name: String
    var displayName: String
    var group: Term<AnimalGroup>
    var legs: CountRecord
    var heads: CountRecord

    init(_ animal: Animal) {
        id = animal.id.rawValue
        name = animal.name
        displayName = animal.displayName
        group = Term(animal.group)
        legs = CountRecord(animal.legs)
        heads = CountRecord(animal.heads)
    }

    var value: Animal {
        get throws {
            Animal(
                id: AnimalID(id),
                name: name,
                displayName: displayName,
                group: try group.value,
                legs: legs.value,
                heads: heads.value
            )
        }
    }
}

enum CountRecord: TapeRecord {
    case known(count: Int)
    case unknown, ambiguousZero

    init(_ count: Count) {
        switch count {
        case .known(let count): self = .known(count: count)
        case .unknown: self = .unknown
        case .ambiguousZero: self = .ambiguousZero
        }
    }

    var value: Count {
        switch self {
        case .known(let count): .known(count)
        case .unknown: .unknown
        case .ambiguousZero: .ambiguousZero
        }
    }
}

struct PhotoRecord: TapeRecord {
    var bytes: TapeBytes
    var mediaType: String

    init(_ photo: Photo) {
        bytes = TapeBytes(photo.bytes)
        mediaType = photo.mediaType
    }

    var value: Photo { Photo(bytes: bytes.bytes, mediaType: mediaType) }
}
