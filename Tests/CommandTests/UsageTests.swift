import Testing

@Suite(.timeLimit(.minutes(1)))
struct UsageTests {
    private let sanctuary = BuiltCommand.sanctuary

    @Test(
        "What was called in a wrong way ends with 64, says why on standard error, and prints no result",
        arguments: [
            ["animals", "--kind", "unicorn"], ["animals", "--colour"], ["animal"], ["unicorns"], ["photo", "1"],
            ["photo", "1", "-o", ""], ["photo", "1", "-o", "-", "--json"], ["animals", "--service", "nonsense"],
            ["animals", "--service", "ftp://127.0.0.1"], ["animals", "--language", "d e"],
            ["order", "place", "--article", "hay", "--quantity", "0", "--price", "1 EUR"],
            ["order", "place", "--article", "hay", "--quantity", "1", "--price", "1.234 EUR"],
            ["order", "place", "--article", "", "--quantity", "1", "--price", "1 EUR"], ["message", "send", " "],
            ["account", "sign-in"], ["account", "sign-in", "amara"],
        ]
    )
    func wrongUse(_ arguments: [String]) async throws {
        let finished = try await sanctuary.run(arguments)
        #expect(finished.code == 64)
        #expect(finished.output == "")
        #expect(finished.error.isEmpty == false)
    }

    @Test(
        "A service that is down ends with 69 and one line",
        arguments: [["animals"], ["animal", "1"], ["accessories"]]
    )
    func serviceDown(_ arguments: [String]) async throws {
        let finished = try await sanctuary.run(arguments + ["--service", "http://127.0.0.1:1", "--state", "/tmp"])
        #expect(finished.code == 69)
        #expect(finished.error.hasPrefix("sanctuary: unreachable: "))
        #expect(finished.error.split(separator: "\n").count == 1)
    }

    @Test("A state directory that cannot be made ends with 73")
    func noStateDirectory() async throws {
        let finished = try await sanctuary.run(["animals", "--state", "/dev/null/state"])
        #expect(finished.code == 73)
        #expect(finished.error.contains("/dev/null/state"))
    }

    @Test(
        "Every command has help with an example",
        arguments: [
            [], ["animals"], ["animal"], ["photo"], ["accessories"], ["orders"], ["order", "place"], ["order", "show"],
            ["messages"], ["message", "send"], ["account", "sign-in"], ["account", "sign-out"], ["account", "show"],
        ]
    )
    func help(_ command: [String]) async throws {
        let finished = try await sanctuary.run(command + ["--help"])
        #expect(finished.code == 0)
        #expect(finished.output.contains("EXAMPLES\n"))
        #expect(finished.output.contains("sanctuary \(command.joined(separator: " "))"))
    }

    @Test("Shells get their completions", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        let finished = try await sanctuary.run(["--generate-completion-script", shell])
        #expect(finished.code == 0)
        #expect(finished.output.contains("mythological"))
    }

    @Test("A reader that has had enough is no failure")
    func closedOutput() async throws {
        let finished = try await BuiltCommand.shell("{ sanctuary animals; echo $? >&2; } | true")
        #expect(finished.error == "0\n")
    }

    @Test("The app never names its vendor")
    func vendorName() async throws {
        for arguments in [["--help"], ["animals", "--help"], ["--generate-completion-script", "bash"]] {
            let finished = try await sanctuary.run(arguments)
            #expect(!finished.output.lowercased().contains("menagerie"))
        }
        let error = try await sanctuary.run(["animal", "no-such-animal"]).error
        #expect(!error.isEmpty && !error.lowercased().contains("menagerie"))
    }
}
