#if Sandbox
import CommandTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UpgradeTests {
    private let vendorctl = BuiltCommand.vendorctl

    @Test func `plan is shown without any stored upgrade`() async throws {
        let words = try await vendorctl.run(["upgrade", "plan"])
        #expect(words.code == 0 && words.output.contains("GOES BACK IF V2"), "\(words.error)")
        #expect(words.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(words.output)")
        let finished = try await vendorctl.run(["upgrade", "plan", "--numbers"])
        #expect(finished.code == 0, "\(finished.error)")
        #expect(finished.output.contains("Promotions: G = 5") && finished.output.contains("Rollback tests: T = 21"))
    }

    @Test func `A change without a reason, where nobody can be asked, ends with 64`() async throws {
        let finished = try await vendorctl.run(["upgrade", "advance", "--by", "amara"])
        #expect(finished.code == 64 && finished.output == "")
        #expect(finished.error.contains("--reason"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:1", "127.0.0.1:1"), ("http://root:sesame@a,http://b", "etcd's address 1"), ("", "address 1"),
    ])
    func `A fleet's etcd that cannot be reached ends with 70, and is named`(addresses: String, says: String)
        async throws
    {
        let finished = try await vendorctl.run(["upgrade", "status", "--etcd", addresses])
        #expect(finished.code == 70 && finished.output == "", "\(finished.code): \(finished.error)")
        #expect(finished.error.contains(says) && !finished.error.contains("sesame"), "\(finished.error)")
    }

    @Test func `A server that cannot be reached, or without a token, ends with 70, and is named`() async throws {
        let line = """
            export COFFERDAM_SERVER=http://127.0.0.1:1 COFFERDAM_SERVER_TOKEN=sesame
            vendorctl upgrade status; echo $?
            vendorctl upgrade kill legacy --reason "orders fail"; echo $?
            vendorctl upgrade allow ada --reason "our own team first"; echo $?
            unset COFFERDAM_SERVER_TOKEN
            vendorctl upgrade history --server https://upgrades.example.com; echo $?
            """
        let finished = try await BuiltCommand.shell(line)
        #expect(finished.output == "70\n70\n64\n70\n", "\(finished.error)")
        #expect(finished.error.contains("vendorctl: http://127.0.0.1:1: the server does not answer: connect"))
        #expect(finished.error.contains("vendorctl: sanctuary: http://127.0.0.1:1: the server does not answer"))
        #expect(finished.error.contains("allow: a server does not know units by name"))
        #expect(finished.error.contains("COFFERDAM_SERVER_TOKEN: there is no token"))
        #expect(!finished.error.contains("sesame"))
    }

    #if SQLite
    #if os(Linux)
    @Test func `A stop is made although nothing can be written to standard error`() async throws {
        let line = """
            d=$(mktemp -d) && export COFFERDAM_UPGRADE_STATE="$d/upgrade" USER=amara
            vendorctl upgrade advance --despite-gate --reason "agreed upon" >/dev/null
            vendorctl upgrade kill legacy --reason "orders fail" >/dev/null 2>/dev/full; echo $?
            vendorctl upgrade history | grep -c "orders fail"; rm -r "$d"
            """
        #expect(try await BuiltCommand.shell(line).output == "0\n1\n")
    }
    #endif

    @Test func `In a directory, a step and the kill switch are in the log, and refusals are not`() async throws {
        let line = """
            d=$(mktemp -d) && export COFFERDAM_UPGRADE_STATE="$d/upgrade" USER=amara
            vendorctl upgrade status >/dev/null; test -e "$d/upgrade" || echo untouched
            vendorctl upgrade advance --reason "too early" 2>/dev/null; echo $?
            vendorctl upgrade advance --despite-gate --reason "agreed upon"
            vendorctl upgrade promote --reason "too early" 2>/dev/null; echo $?
            vendorctl upgrade kill legacy --reason "orders fail"
            vendorctl upgrade advance --despite-gate --reason "all the same" 2>/dev/null; echo $?
            vendorctl upgrade resume --reason "mended"
            vendorctl upgrade watch --until legacyOnly
            vendorctl upgrade history | wc -l; rm -r "$d"
            vendorctl upgrade history --state /etc/passwd 2>/dev/null; echo $?
            """
        let finished = try await BuiltCommand.shell(line)
        #expect(
            finished.output == """
                untouched
                1
                sanctuary: next step despite the gate, by amara: V1 only → V2 in the background
                1
                sanctuary: all users to V1, by amara: V2 in the background → stopped: all on V1
                `vendorctl upgrade resume` does not bring V2 back: it continues with V1 only, as a new attempt.
                1
                sanctuary: stop lifted, by amara: stopped: all on V1 → V1 only
                sanctuary: V2 was withdrawn. All users are on V1. It waits for a person: see what happened, repair it, then begin again with V2 in the background.
                4
                70

                """,
            "\(finished.error)"
        )
    }
    #endif
}
#endif
