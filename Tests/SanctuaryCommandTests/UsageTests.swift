#if Sandbox
import CommandTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UsageTests {
    private let sanctuary = BuiltCommand.sanctuary

    @Test(
        "Incorrect usage ends with 64, says why on standard error, and prints no result",
        arguments: [
            ["animals", "--kind", "unicorn"], ["animals", "--colour"], ["animal"], ["unicorns"], ["photo", "1"],
            ["photo", "1", "-o", ""], ["photo", "1", "-o", "-", "--json"], ["animals", "--service", "nonsense"],
            ["animals", "--service", "ftp://127.0.0.1"], ["animals", "--language", "d e"],
            ["order", "place", "--article", "hay", "--quantity", "0", "--price", "1 EUR"],
            ["order", "place", "--article", "hay", "--quantity", "1", "--price", "1.234 EUR"],
            ["order", "place", "--article", "", "--quantity", "1", "--price", "1 EUR"], ["message", "send", " "],
            ["account", "sign-in"], ["account", "sign-in", "amara"], ["messages", "--html", ""],
            ["messages", "--html", "page.html", "--follow"], ["messages", "--last", "0"],
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
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let finished = try await sanctuary.run(arguments + ["--service", "http://127.0.0.1:1", "--state", folder.path])
        #expect(finished.code == 69)
        #expect(finished.error.hasPrefix("sanctuary: unreachable: "))
        #expect(finished.error.split(separator: "\n").count == 1)
    }

    @Test("A picture never replaces a device or a pipe")
    func irregularFile() async throws {
        let line = """
            d=$(mktemp -d) && mkfifo "$d/pipe" && sanctuary photo 1 --state "$d/state" -o "$d/pipe"
            echo $?; test -p "$d/pipe" && echo still; rm -r "$d"
            """
        let finished = try await BuiltCommand.shell(line)
        #expect(finished.output == "73\nstill\n")
        #expect(finished.error.contains("/pipe is not a regular file"))
    }

    @Test("A password in the service's address is refused, and not repeated")
    func credentialsInAddress() async throws {
        for address in ["http://amara:hunter2@127.0.0.1:1", "http://amara:hunter2@exa mple"] {
            let finished = try await sanctuary.run(["animals", "--service", address])
            #expect(finished.code == 64 && finished.output == "")
            #expect(!finished.error.contains("hunter2"))
        }
    }

    #if os(Linux)
    @Test("A request to terminate ends the wait for a password that never comes")
    func passwordNeverComes() async throws {
        let line = """
            d=$(mktemp -d) && mkfifo "$d/pipe" && exec 3<>"$d/pipe"
            timeout -s INT -k 20 2 sanctuary account sign-in amara --state "$d/state" <&3; echo $?; rm -r "$d"
            """
        // The exit code of `timeout` itself if the command ended by the first signal; 137 if it had to be killed.
        let finished = try await BuiltCommand.shell(line)
        #expect(finished.output == "124\n" && finished.error == "")
    }
    #endif

    @Test("A password without end is refused")
    func endlessPassword() async throws {
        let finished = try await BuiltCommand.shell("sanctuary account sign-in amara </dev/zero")
        #expect(finished.code == 64)
        #expect(finished.error.contains("longer than 4096 bytes"))
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

    @Test("A reader that stops early is not a failure")
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
#endif
