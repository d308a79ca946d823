#if Sandbox
import Foundation
import Testing

@Suite("The swap")
struct DependencySwapTests {
    /// The line of Package.swift that selects the SDK.
    static let swapLine = #"let linkedSDK = "SDKv1""#

    @Test("One line of Package.swift chooses the SDK that the app links, and each of the three choices exists")
    func line() throws {
        let manifest = try String(contentsOf: House.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.ranges(of: Self.swapLine).count == 1)
        let traits = Set(manifest.matches(of: /\.trait\(\s*name: "(\w+)"/).map { String($0.1) })
        #expect(traits.isSuperset(of: ["SDKv1", "SDKv2", "Staged"]))
    }

    @Test("The app's SDK compiles for either major, with no line changed", arguments: ["SDKv1", "SDKv2"])
    func bothMajors(trait: String) async throws {
        let compiler = try Compiler(of: "SanctuaryHarness").named("SanctuarySDK").with(traits: [trait, "Sandbox"])
        let check = try await compiler.check(folder: "Sources/Adapters/SanctuarySDK")
        #expect(check.isSuccess, "\(check.text.suffix(4000))")
    }

    @Test(
        "Linking both SDKs without the router, or neither, does not compile, and the error says why",
        arguments: [
            (["SDKv1", "SDKv2"], "both SDKs are linked without a router between them"), ([], "no SDK is linked"),
        ]
    )
    func contradictions(traits: [String], refusal: String) async throws {
        let file = House.root.appending(path: "Sources/Adapters/SanctuarySDK/Contradictions.swift")
        let compiler = try Compiler(of: "SanctuaryHarness").named("SanctuarySDK").with(traits: traits + ["Sandbox"])
        let check = try await compiler.check(String(contentsOf: file, encoding: .utf8))
        #expect(!check.isSuccess)
        #expect(check.text.split(separator: "\n").contains { $0.contains("error:") && $0.contains(refusal) })
    }
}
#endif
