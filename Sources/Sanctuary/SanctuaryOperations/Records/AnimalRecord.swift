package import Cofferdam  // records are the kit's
package import SanctuaryDomain  // of the domain's values

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page on a tape.
package struct PageRecord<Item: TapeRecord>: TapeRecord {
    var items: [Item]
    var next: String?

    package init(_ page: Page<Item.Value>) {
        items = page.items.map { Item($0) }
        next = page.next?.rawValue
    }

    package var value: Page<Item.Value> {
        get throws { Page(items: try items.value, next: next.map { Cursor($0) }) }
    }
}

package struct AnimalRecord: TapeRecord {
    var id: String
    var name: String
    var displayName: String
    var group: Term<AnimalGroup>
    var legs: CountRecord
    var heads: CountRecord

    package init(_ animal: Animal) {
        id = animal.id.rawValue
        name = animal.name
        displayName = animal.displayName
        group = Term(animal.group)
        legs = CountRecord(animal.legs)
        heads = CountRecord(animal.heads)
    }

    package var value: Animal {
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

package enum CountRecord: TapeRecord {
    case known(count: Int)
    case unknown, ambiguousZero

    package init(_ count: Count) {
        switch count {
        case .known(let count): self = .known(count: count)
        case .unknown: self = .unknown
        case .ambiguousZero: self = .ambiguousZero
        }
    }

    package var value: Count {
        switch self {
        case .known(let count): .known(count)
        case .unknown: .unknown
        case .ambiguousZero: .ambiguousZero
        }
    }
}

package struct PhotoRecord: TapeRecord {
    var bytes: Data
    var mediaType: String

    package init(_ photo: Photo) {
        bytes = Data(photo.bytes)
        mediaType = photo.mediaType
    }

    package var value: Photo { Photo(bytes: Array(bytes), mediaType: mediaType) }
}
