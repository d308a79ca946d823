#if CommandLine && (os(macOS) || os(Linux))
import Testing

/// Two majors of one vendor package, with the same module names in Swift and C, in a process that contains a third.
@Suite struct SideProcessTests {
    private func run(_ host: String, _ libraries: String...) async throws -> [String] {
        let fixtures = try await SideFixtures.all()
        let run = try await Program.run(fixtures.path(host), libraries.map(fixtures.path))
        #expect(run.code == 0, "\(run.text)")
        return run.lines
    }

    private static let v1 = [
        #"SettingsValue(key: "a", text: "one", parsers: ["Vendor 1", "CVendor 1"])"#, "stream one", "stream two",
        "parallel 1", #"typed unknown(key: "z")"#,
    ]
    private static let v2 = [
        #"SettingsValue(key: "a", text: "ONE", parsers: ["Vendor 2", "CVendor 2"])"#, "stream ONE", "stream TWO",
        "parallel 1", #"typed unknown(key: "z")"#,
    ]

    @Test(arguments: ["host", "host-shared"])
    func `values, errors, streams and parallel calls cross from both majors, in either order`(host: String)
        async throws
    {
        let own = ["host Vendor 3 CVendor 3"]
        #expect(try await run(host, "libV1.so", "libV2.so") == own + Self.v1 + Self.v2)
        #expect(try await run(host, "libV2.so", "libV1.so") == own + Self.v2 + Self.v1)
    }

    @Test func `a side that is bound to its own symbols uses them too`() async throws {
        #expect(try await run("host-shared", "libV2Symbolic.so").dropFirst() == Self.v2[...])
    }

    @Test func `a side with open symbols needs a host that exports none of its own`() async throws {
        #expect(try await run("host", "libV2Open.so").dropFirst() == Self.v2[...])
        // This is why the link options are needed: without them, the side's calls go to the host's version.
        #expect(try await run("host-shared", "libV2Open.so").dropFirst() == [#"typed unknown(key: "a")"#])
    }

    @Test func `a side that was compiled against other ports is refused, whichever ports are loaded`() async throws {
        let lines = try await run("host", "libV2Changed.so")
        #expect(lines.count == 2)
        #expect(
            lines.last?.hasSuffix(
                "against the ports with the digest 'changed', and this process against 'first'"
            ) == true
        )
    }

    @Test func `a side with a copy of the ports of its own is refused`() async throws {
        let lines = try await run("host", "libV2Copied.so")
        #expect(lines.count == 2)
        #expect(
            lines.last?.contains("has another copy of the module that declares 'SettingsPorts.Settings'") == true
        )
    }
}
#endif
