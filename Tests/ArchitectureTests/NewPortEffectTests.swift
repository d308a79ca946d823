#if Sandbox
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

    @Test("Each list, each get and each stream gets the rules of its family, and the rest says why not")
    func families() throws {
        let folder = House.root.appending(path: "Sources/Sanctuary/SanctuaryDomain")
        let sources = try House.files(below: folder).map {
            DeclaredTypes.Source(file: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
        }
        let types = DeclaredTypes(in: sources, access: "public")
        #expect(types.unread == [])
        var families: [String: String] = [:]
        for name in Self.ports {
            let text = try String(contentsOf: folder.appending(path: "Ports/\(name).swift"), encoding: .utf8)
            let plan = try PortPlan(PortReader.read(name, in: text), module: "SanctuaryDomain", types: types)
            for operation in plan.operations {
                let family =
                    switch operation.shape {
                    case .get: "get"
                    case .list: "list"
                    case .stream: "stream"
                    case .own: operation.remark ?? ""
                    }
                families["\(name).\(operation.name)"] = family
            }
        }
        let found = families.filter { ["get", "list", "stream"].contains($0.value) }
        #expect(
            found == [
                "Catalogue.animals": "list", "Catalogue.animal": "get", "Messages.messages": "list",
                "Messages.events": "stream", "Orders.orders": "list", "Orders.order": "get",
                "Accessories.events": "stream",
            ],
            "\(families)"
        )
    }
}
#endif
