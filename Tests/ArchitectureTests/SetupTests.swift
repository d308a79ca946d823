#if Sandbox
#if os(Linux)
import Foundation
import Testing

/// `./dev setup` on a machine without zstd, played by a `clang` that does not find its header and an `apt-get` that only
/// writes down its arguments.
@Suite("The set-up of a machine")
struct SetupTests {
    @Test("Without a terminal, it says what it installs, and installs it")
    func piped() async throws {
        let run = try await setup("./dev setup </dev/null")
        #expect(run.isSuccess)
        #expect(run.text.contains("missing and will be installed"))
        #expect(run.text.contains("  libzstd-dev\n"))
        #expect(run.text.contains("apt-get install"))
    }

    @Test("On a terminal it asks: no installs nothing and says how; yes installs", arguments: ["n", "", "y"])
    func asks(answer: String) async throws {
        let run = try await setup(#"printf '%s\n' '\#(answer)' | script -qec './dev setup' /dev/null"#)
        #expect(run.text.contains("Install them now? [Y/n]"))
        #expect(run.isSuccess == (answer != "n"))
        #expect(run.text.contains("apt-get update") == (answer != "n"))
        #expect(run.text.contains("nothing was installed") == (answer == "n"))
    }

    @Test("On a terminal, --yes answers, before or after the command", arguments: ["--yes setup", "setup --yes"])
    func yes(command: String) async throws {
        let run = try await setup("script -qec './dev \(command)' /dev/null </dev/null")
        #expect(run.isSuccess)
        #expect(!run.text.contains("[Y/n]"))
        #expect(run.text.contains("apt-get install"))
    }

    private func setup(_ command: String) async throws -> Command.Outcome {
        try await Command.run(
            "bash",
            [
                "-c",
                """
                set -eu
                tools=$(mktemp -d)
                trap 'rm -r "$tools"' EXIT
                printf '#!/bin/sh\\n! grep -q zstd\\n' >"$tools/clang"
                printf '#!/bin/sh\\necho "apt-get $*"\\n' >"$tools/apt-get"
                printf '#!/bin/sh\\n"$@"\\n' >"$tools/sudo"
                chmod +x "$tools"/*
                export PATH="$tools:$PATH"
                \(command)
                """,
            ]
        )
    }
}
#endif
#endif
