#if Sandbox
import Cofferdam
import CofferdamSupport
import SanctuaryApp
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

/// The state of the accessories, as one line.
struct AccessoryStateOutput: Encodable {
    let accessories: [AccessoryOutput]
    let active: String?

    init(_ state: AccessoriesState) {
        accessories = state.all.map(AccessoryOutput.init)
        active = state.chosen?.id.rawValue
    }
}

/// The changes between two states, for humans.
struct AccessoryChange {
    /// The changed accessories; all of them if there was no earlier state.
    let changed: [Accessory]
    let gone: [Accessory]

    init(from before: [Accessory]?, to state: AccessoriesState) {
        let before = before ?? []
        changed = state.all.filter { !before.contains($0) }
        gone = before.filter { old in !state.all.contains { $0.id == old.id } }
    }

    func lines(_ style: TerminalStyle) -> [String] {
        changed.map { Self.line($0, style) }
            + gone.map {
                style.apply(.red, to: "\($0.id.rawValue.escapedForTerminal)  \($0.name.escapedForTerminal)  gone")
            }
    }

    private static func line(_ accessory: Accessory, _ style: TerminalStyle) -> String {
        let link = style.apply(accessory.link.colour, to: accessory.link.rawValue)
        let battery = accessory.battery.map { "  \($0)" } ?? ""
        return "\(accessory.id.rawValue.escapedForTerminal)  \(accessory.name.escapedForTerminal)  \(link)\(battery)"
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
#endif
