#if Sandbox
import CommandTestSupport
import MenagerieService
import Testing

/// Checks the commands against a service in another process: the tests' own.
@Suite(.timeLimit(.minutes(5)))
struct ServiceTests {
    private let sanctuary = BuiltCommand.sanctuary

    @Test("A session outlives its process, and signing out ends it")
    func session() async throws {
        try await ServiceFixture.with { fixture in
            let before = try await sanctuary.run(["account", "show", "--json"] + fixture.options)
            #expect(try before.json(AccountDocument.self).state == "signedOut")

            #expect(try await fixture.signIn("kenji").code == 0)
            let account = try await sanctuary.run(["account", "show", "--json"] + fixture.options)
            #expect(
                try account.json(AccountDocument.self)
                    == AccountDocument(state: "signedIn", id: "kenji", currency: "JPY")
            )
            #expect(try await sanctuary.run(["orders"] + fixture.options).code == 0)

            #expect(try await sanctuary.run(["account", "sign-out"] + fixture.options).output == "signed out\n")
            #expect(try await sanctuary.run(["orders"] + fixture.options).code == 77)
        }
    }

    @Test("Signing in repairs a stored session that cannot be read", arguments: [true, false])
    func repair(isDirectory: Bool) async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let line =
                isDirectory
                ? "f=$(echo '\(fixture.state)'/*session*) && rm \"$f\" && mkdir \"$f\""
                : "f=$(echo '\(fixture.state)'/*session*) && echo nonsense >\"$f\""
            #expect(try await BuiltCommand.shell(line).code == 0)
            let broken = try await sanctuary.run(["orders"] + fixture.options)
            #expect(broken.code == 77 && broken.output == "")
            #expect(try await fixture.signIn().code == 0)
            let repaired = try await sanctuary.run(["orders"] + fixture.options)
            #expect(repaired.code == 0 && repaired.error == "")
        }
    }

    @Test("Signing in deletes no foreign files: a directory that is not empty stays")
    func foreignDirectory() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let line = "f=$(echo '\(fixture.state)'/*session*) && rm \"$f\" && mkdir -p \"$f/inside\""
            #expect(try await BuiltCommand.shell(line).code == 0)
            let refused = try await fixture.signIn()
            #expect(refused.code != 0 && refused.output == "" && refused.error.contains("session"))
            #expect(try await BuiltCommand.shell("test -d '\(fixture.state)'/*session*/inside").code == 0)
        }
    }

    @Test("An order whose answer is lost says that it may have been placed")
    func lostAnswer() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            fixture.service.control.inject(.reset, on: .placeOrder, times: 100)
            let arguments = ["order", "place", "--article", "hay", "--quantity", "1", "--price", "1"]
            let finished = try await sanctuary.run(arguments + fixture.options)
            #expect(finished.code == 70 && finished.output == "")
            #expect(finished.error.hasPrefix("sanctuary: outcomeUnknown: "))
            #expect(finished.error.contains("look before you try again"))
        }
    }

    @Test("An order that was placed is in the list and can be shown, to the last decimal (MUT-01, D17)")
    func order() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let arguments = ["order", "place", "--article", "hay", "--quantity", "3", "--price", "4.50 EUR", "--json"]
            let placed = try await sanctuary.run(arguments + fixture.options)
            #expect(placed.code == 0)
            let order = try placed.json(OrderDocument.self)
            #expect(order.totals == [OrderDocument.Amount(amount: "13.50", currency: "EUR")])

            let shown = try await sanctuary.run(["order", "show", order.id, "--json"] + fixture.options)
            #expect(try shown.json(OrderDocument.self) == order)
            let list = try await sanctuary.run(["orders", "--json"] + fixture.options).json([OrderDocument].self)
            #expect(list.last == order)
            let text = try await sanctuary.run(["order", "show", order.id] + fixture.options).output
            #expect(text.contains("total 13.50 EUR"))

            #expect(try await sanctuary.run(["order", "show", "o-999999"] + fixture.options).code == 66)
        }
    }

    @Test("A message that was sent is the last of the conversation")
    func message() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let sent = try await sanctuary.run(["message", "send", "The lion is fed.", "--json"] + fixture.options)
            #expect(sent.code == 0)
            #expect(try sent.json(MessageDocument.self).text == "The lion is fed.")
            let all = try await sanctuary.run(["messages", "--json"] + fixture.options).json([MessageDocument].self)
            #expect(all.last?.text == "The lion is fed.")
            #expect(all.last?.author == "amara")
        }
    }

    @Test("messages --follow prints what another process sends, one document per line, until Ctrl-C")
    func follow() async throws {
        try await ServiceFixture.with { fixture in
            _ = try await fixture.signIn()
            let finished = try await sanctuary.runUntil(["messages", "--follow", "--json"] + fixture.options) { line in
                if line.contains("\"event\":\"history\"") {
                    let sent = try await sanctuary.run(["message", "send", "News!"] + fixture.options)
                    #expect(sent.code == 0)
                }
                return line.contains("News!")
            }
            #expect(finished.code == 130)
            #expect(finished.error == "")
            let last = try #require(finished.output.split(separator: "\n").last)
            #expect(last.contains("\"event\":\"received\""))
        }
    }

    @Test("accessories --watch prints the state first, and ends with Ctrl-C")
    func watch() async throws {
        try await ServiceFixture.with { fixture in
            let finished = try await sanctuary.runUntil(["accessories", "--watch", "--json"] + fixture.options) { _ in
                true
            }
            #expect(finished.code == 130)
            #expect(finished.output.hasPrefix("{\"accessories\":["))
            #expect(finished.error == "")
        }
    }

    @Test("A malformed animal fails the list and names its path (GET-04)")
    func malformed() async throws {
        try await ServiceFixture.with { fixture in
            fixture.service.control.corrupt(animal: 3, .missing("name"))
            let finished = try await sanctuary.run(["animals"] + fixture.options)
            #expect(finished.code == 65)
            #expect(finished.error.contains("name"))
            #expect(finished.output == "")
        }
    }

    @Test("An animal of an unknown group is listed, with a warning beside (GET-07)")
    func unknownGroup() async throws {
        try await ServiceFixture.with { fixture in
            fixture.service.control.addAnimal(name: "smaug", kind: "dragon")
            let finished = try await sanctuary.run(["animals", "--json"] + fixture.options)
            #expect(finished.code == 0)
            #expect(try finished.json([AnimalDocument].self).last?.group == "dragon")
            #expect(finished.error.hasPrefix("sanctuary: warning: animals: "))
            #expect(finished.error.contains("dragon"))
        }
    }

    @Test(
        "Each failure of the service has an exit code and one line that names it",
        arguments: [
            (Fault.html, Int32(65), "decoding"), (.garbage, 65, "decoding"), (.status(500), 69, "unavailable"),
            (.status(503), 69, "unavailable"), (.status(429), 75, "rateLimited"), (.reset, 69, "unreachable"),
            (.truncated, 75, "truncated"), (.status(400), 65, "invalidRequest"),
        ]
    )
    func faults(_ fault: Fault, _ code: Int32, _ word: String) async throws {
        try await ServiceFixture.with { fixture in
            fixture.service.control.inject(fault, on: .listAnimals, times: 100)
            let finished = try await sanctuary.run(["animals"] + fixture.options)
            #expect(finished.code == code, "\(finished.error)")
            #expect(finished.output == "")
            #expect(finished.error.hasPrefix("sanctuary: \(word): "), "\(finished.error)")
            #expect(finished.error.split(separator: "\n").count == 1)
        }
    }
}
#endif
