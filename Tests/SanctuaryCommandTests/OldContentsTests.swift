#if Sandbox
import CommandTestSupport
import MenagerieService
import Testing

/// Tests that the app's screens share their data, and that it persists.
@Suite(.timeLimit(.minutes(5)))
struct OldContentsTests {
    private let sanctuary = BuiltCommand.sanctuary

    @Test(
        "An animal that the vendor renames has its new name in the order and the message that mention it, and offline too"
    )
    func rename() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let lion = try #require(try await animals(fixture).first { $0.name == "lion" })
            let order = ["order", "place", "--article", "meat for @lion", "--quantity", "1", "--price", "4.50"]
            #expect(try await sanctuary.run(order + fixture.options).output.contains("meat for @\(lion.displayName)"))
            #expect(try await sanctuary.run(["message", "send", "@\(lion.id) is hungry"] + fixture.options).code == 0)
            #expect(try await messages(fixture).output.contains("@\(lion.displayName) is hungry"))

            // One API's display name is the other's canonical name.
            let legacyID = try #require(Int(lion.id))
            for field in ["localizedName", "name"] {
                fixture.service.control.corrupt(animal: legacyID, .unknownValue(field))
                if try await animals(fixture).contains(where: { $0.displayName == "unheard-of" }) { break }
            }
            #expect(try await messages(fixture).output.contains("@unheard-of is hungry"))

            for operation in [Operation.listAnimals, .listOrders, .listMessages] {
                fixture.service.control.inject(.status(503), on: operation, times: 100)
            }
            let offline = try await messages(fixture)
            #expect(offline.output.contains("@unheard-of is hungry"))
            #expect(offline.code == 69)
        }
    }

    @Test(
        "Stored data is shown if the service fails, with the error, and an exit code that no script overlooks",
        arguments: [
            (["animals"], Operation.listAnimals), (["animals", "--json"], .listAnimals), (["orders"], .listOrders),
            (["messages"], .listMessages), (["messages", "--json"], .listMessages),
            (["messages", "--html", "-"], .listMessages),
        ]
    )
    func old(arguments: [String], operation: Operation) async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let fresh = try await sanctuary.run(arguments + fixture.options)
            #expect(fresh.code == 0 && !fresh.output.isEmpty)
            fixture.service.control.inject(.status(503), on: operation, times: 100)
            let old = try await sanctuary.run(arguments + fixture.options)
            #expect(old.output == fresh.output)
            #expect(old.code == 69)
            #expect(old.error.hasPrefix("sanctuary: unavailable: "))
            #expect(old.error.contains("; what is shown is ") && old.error.split(separator: "\n").count == 1)
        }
    }

    @Test("What one user has seen is not shown to the next")
    func nextUser() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            #expect(try await sanctuary.run(["orders"] + fixture.options).code == 0)
            _ = try await fixture.signIn("kenji")
            fixture.service.control.inject(.status(503), on: .listOrders, times: 100)
            let orders = try await sanctuary.run(["orders"] + fixture.options)
            #expect(orders.output == "")
            #expect(orders.code == 69)
        }
    }

    @Test("Signing out on a full disk forgets what the user has seen, in every language")
    func signOutOnFullDisk() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            for language in ["en", "de"] {
                #expect(try await sanctuary.run(["orders", "--language", language] + fixture.options).code == 0)
            }
            let kept = "find '\(fixture.state)/lists' -name orders.json -size +0"
            #expect(try await BuiltCommand.shell(kept).output.split(separator: "\n").count == 2)
            let options = fixture.options.map { "'\($0)'" }.joined(separator: " ")
            let line = "trap '' XFSZ; ulimit -f 0; exec sanctuary account sign-out \(options)"
            #expect(try await BuiltCommand.shell(line).output == "signed out\n")
            #expect(try await BuiltCommand.shell(kept).output == "")
            #expect(try await sanctuary.run(["account", "show"] + fixture.options).output == "signed out\n")
        }
    }

    @Test("An unreadable stored list is treated as missing, with a warning")
    func unreadable() async throws {
        try await ServiceFixture.with { fixture in
            #expect(try await animals(fixture).isEmpty == false)
            #expect(
                try await BuiltCommand.shell("echo nonsense >$(echo '\(fixture.state)'/lists/*/animals.json)").code == 0
            )
            let read = try await sanctuary.run(["animals"] + fixture.options)
            #expect(read.code == 0 && !read.output.isEmpty)
            #expect(read.error.hasPrefix("sanctuary: warning: a stored list"))
            #expect(try await sanctuary.run(["animals"] + fixture.options).error == "")
        }
    }

    private func animals(_ fixture: ServiceFixture) async throws -> [AnimalDocument] {
        try await sanctuary.run(["animals", "--json"] + fixture.options).json([AnimalDocument].self)
    }

    private func messages(_ fixture: ServiceFixture) async throws -> Finished {
        try await sanctuary.run(["messages"] + fixture.options)
    }
}
#endif
