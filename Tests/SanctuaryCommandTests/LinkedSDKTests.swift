#if Sandbox
import CommandTestSupport
import Testing

@Suite struct LinkedSDKTests {
    #if Staged
    private let linked = ["MenagerieV1", "MenagerieV2", "CofferdamUpgrade"]
    private let absent: [String] = []
    #elseif SDKv1
    private let linked = ["MenagerieV1"]
    private let absent = ["MenagerieV2", "CofferdamUpgrade", "SanctuaryRouting"]
    #else
    private let linked = ["MenagerieV2"]
    private let absent = ["MenagerieV1", "CofferdamUpgrade", "SanctuaryRouting"]
    #endif

    @Test("The app links what its trait says, and its binary contains nothing of the other SDK")
    func binary() async throws {
        // Swift mangles a module's name as its length and then the name.
        for module in linked { #expect(try await find("\(module.utf8.count)\(module)"), "\(module) is not linked") }
        for module in absent { #expect(try await !find(module), "\(module) is named in the binary") }
    }

    /// Returns whether the app's binary contains a text, in its symbols, which are not stripped, or its strings.
    private func find(_ text: String) async throws -> Bool {
        let finished = try await BuiltCommand.shell("grep -aqF \(text) \"$(command -v sanctuary)\"; echo $?")
        try #require(["0\n", "1\n"].contains(finished.output), "\(finished.error)")
        return finished.output == "0\n"
    }
}
#endif
