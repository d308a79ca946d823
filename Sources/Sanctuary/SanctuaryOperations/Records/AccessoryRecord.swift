import Cofferdam
package import SanctuaryDomain  // of the domain's values

package struct AccessoryRecord: TapeRecord {
    var id: String
    var name: String
    var link: String
    var battery: Int?
    var lastSeen: Int64

    package init(_ accessory: Accessory) {
        id = accessory.id.rawValue
        name = accessory.name
        link = accessory.link.rawValue
        battery = accessory.battery?.percent
        lastSeen = accessory.lastSeen.millisecondsSince1970
    }

    package var value: Accessory {
        get throws {
            guard let link = Accessory.Link(rawValue: link) else {
                throw TapeError(.unreadable, "no such link: \(link)", subject: id)
            }
            return Accessory(
                id: AccessoryID(id),
                name: name,
                link: link,
                battery: battery.flatMap { Battery(percent: $0) },
                lastSeen: Instant(millisecondsSince1970: lastSeen)
            )
        }
    }
}

package enum AccessoryEventRecord: TapeRecord {
    case current(accessories: [AccessoryRecord])
    case changed(accessory: AccessoryRecord)
    case removed(id: String)

    package init(_ event: AccessoryEvent) {
        switch event {
        case .current(let accessories): self = .current(accessories: accessories.map { AccessoryRecord($0) })
        case .changed(let accessory): self = .changed(accessory: AccessoryRecord(accessory))
        case .removed(let id): self = .removed(id: id.rawValue)
        }
    }

    package var value: AccessoryEvent {
        get throws {
            switch self {
            case .current(let accessories): .current(try accessories.value)
            case .changed(let accessory): .changed(try accessory.value)
            case .removed(let id): .removed(AccessoryID(id))
            }
        }
    }
}

/// The user's nicknames for accessories, by id.
package struct NicknamesRecord: TapeRecord {
    var names: [String: String]

    package init(_ nicknames: [AccessoryID: String]) {
        names = Dictionary(uniqueKeysWithValues: nicknames.map { ($0.key.rawValue, $0.value) })
    }

    package var value: [AccessoryID: String] {
        Dictionary(uniqueKeysWithValues: names.map { (AccessoryID($0.key), $0.value) })
    }
}
