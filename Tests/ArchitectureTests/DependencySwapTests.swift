import Foundation
import Testing

@Suite("The swap")
struct DependencySwapTests {
    /// The line of Package.swift that selects the SDK.
    static let swapLine = #"let linkedSDK: Trait = .default(enabledTraits: ["SDKv1"])"#

    @Test("One line of Package.swift chooses the SDK that the app links, and each of the three choices exists")
    func line() throws {
        let manifest = try String(contentsOf: House.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.ranges(of: Self.swapLine).count == 1)
        let traits = Set(manifest.matches(of: /\.trait\(\s*name: "(\w+)"/).map { String($0.1) })
        #expect(traits.isSuperset(of: ["SDKv1", "SDKv2", "Staged"]))
    }

    @Test("The app's SDK compiles for either major, with no line changed", arguments: ["SDKv1", "SDKv2"])
    func bothMajors(trait: String) async throws {
        let compiler = try Compiler(of: "SanctuarySDK").with(traits: [trait, "Example"])
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
        let compiler = try Compiler(of: "SanctuarySDK").with(traits: traits)
        let check = try await compiler.check(String(contentsOf: file, encoding: .utf8))
        #expect(!check.isSuccess)
        #expect(check.text.split(separator: "\n").contains { $0.contains("error:") && $0.contains(refusal) })
    }

    /// CI runs this with each trait.
    @Test("The app links what its trait says, and its binary contains nothing of the other SDK")
    func binary() async throws {
        #if Staged
            let (linked, absent) = (["MenagerieV1", "MenagerieV2", "CofferdamUpgrade"], [String]())
        #elseif SDKv1
            let (linked, absent) = (["MenagerieV1"], ["MenagerieV2", "CofferdamUpgrade", "SanctuaryRouting"])
        #else
            let (linked, absent) = (["MenagerieV2"], ["MenagerieV1", "CofferdamUpgrade", "SanctuaryRouting"])
        #endif
        for module in linked { #expect(try await Self.app(holds: mangled(module)), "\(module) is not linked") }
        for module in absent { #expect(try await !Self.app(holds: module), "\(module) is named in the binary") }
    }

    /// Whether the app's binary contains a text, in its symbols, which are not stripped, or its strings.
    private static func app(holds text: String) async throws -> Bool {
        let app = House.products.appending(path: "sanctuary")
        try #require(FileManager.default.fileExists(atPath: app.path(percentEncoded: false)))
        return try await Command.run("grep", ["-aqF", text, app.path(percentEncoded: false)]).isSuccess
    }

    /// Returns a module's name as Swift mangles it: its length and then the name.
    private func mangled(_ module: String) -> String { "\(module.utf8.count)\(module)" }
}
