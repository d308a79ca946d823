import Foundation
import Testing

@testable import CofferdamTool

@Suite("What new-port assumes about the example's own ports")
struct NewPortEffectTests {
    private static let ports = ["Accessories", "Accounts", "Catalogue", "Messages", "Orders", "Photos"]

    @Test("Each list, each get and each stream is a read, and nothing that changes anything is")
    func effects() throws {
        var (reads, writes): (Set<String>, Set<String>) = ([], [])
        for port in Self.ports {
            let file = House.root.appending(path: "Sources/Sanctuary/SanctuaryDomain/Ports/\(port).swift")
            for method in try PortReader.read(port, in: String(contentsOf: file, encoding: .utf8)).methods {
                let name = "\(port).\(method.name)"
                if "\(AssumedEffect(method).effect)" == "read" { reads.insert(name) } else { writes.insert(name) }
            }
        }
        #expect(
            reads == [
                "Accessories.accessories", "Accessories.events", "Catalogue.animal", "Catalogue.animals",
                "Messages.events",
                "Messages.messages", "Orders.order", "Orders.orders", "Photos.photo",
            ]
        )
        // The last two only read, which their names do not say: `--read` does.
        #expect(
            writes == [
                "Accessories.scan", "Accessories.activate", "Accessories.release", "Accessories.perform",
                "Accessories.setNickname", "Accounts.signIn", "Accounts.signOut", "Messages.send", "Orders.place",
                "Accessories.nicknames", "Accounts.state",
            ]
        )
    }
}
