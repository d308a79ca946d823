import Cofferdam
import SanctuaryDomain

/// An accessory as the commands print it.
struct AccessoryOutput: Encodable {
    let id: String
    let name: String
    let link: String
    let battery: Int?
    let lastSeen: String

    init(_ accessory: Accessory) {
        id = accessory.id.rawValue
        name = accessory.name
        link = accessory.link.rawValue
        battery = accessory.battery?.percent
        lastSeen = accessory.lastSeen.rfc3339
    }

    static func table(_ accessories: [Accessory], _ style: TerminalStyle) -> String {
        var table = TextTable([.init("ID"), .init("NAME"), .init("LINK"), .right("BATTERY"), .init("LAST SEEN")])
        for accessory in accessories {
            table.add([
                .init(accessory.id.rawValue, .dim), .init(accessory.name),
                .init(accessory.link.rawValue, accessory.link.colour), .init(accessory.battery?.description ?? "?"),
                .init(accessory.lastSeen.short),
            ])
        }
        return table.render(style)
    }
}

/// A change to the accessories, on a line of its own.
struct AccessoryEventOutput: Encodable {
    let event: String
    var accessories: [AccessoryOutput]?
    var accessory: AccessoryOutput?
    var id: String?

    init(_ event: AccessoryEvent) {
        switch event {
        case .current(let accessories):
            self.event = "current"
            self.accessories = accessories.map(AccessoryOutput.init)
        case .changed(let accessory):
            self.event = "changed"
            self.accessory = AccessoryOutput(accessory)
        case .removed(let id):
            self.event = "removed"
            self.id = id.rawValue
        }
    }

    static func line(_ event: AccessoryEvent, _ style: TerminalStyle) -> String {
        switch event {
        case .current(let accessories):
            (["in reach: \(accessories.count)"] + accessories.map { "  " + line($0, style) }).joined(separator: "\n")
        case .changed(let accessory): "changed: " + line(accessory, style)
        case .removed(let id): "gone: " + id.rawValue.escapedForTerminal
        }
    }

    private static func line(_ accessory: Accessory, _ style: TerminalStyle) -> String {
        let link = style.apply(accessory.link.colour, to: accessory.link.rawValue)
        let battery = accessory.battery.map { ", battery \($0)" } ?? ""
        return "\(accessory.id.rawValue.escapedForTerminal) \(accessory.name.escapedForTerminal): \(link)\(battery)"
    }
}

extension Accessory.Link {
    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .active: .green
        case .linked: .cyan
        case .reconnecting: .yellow
        case .available: nil
        }
    }
}
