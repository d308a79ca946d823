import Foundation
import Testing

extension NestedBuilds {
    /// The line of Package.swift that says which SDK the app links.
    static let swapLine = #"let linkedSDK: Trait = .default(enabledTraits: ["SDKv1"])"#

    @Test(
        "Swapping the SDK changes one line, and the binary holds nothing of the other SDK",
        arguments: [
            ("SDKv1", ["MenagerieV1"], ["MenagerieV2", "CofferdamUpgrade", "SanctuaryRouting"]),
            ("SDKv2", ["MenagerieV2"], ["MenagerieV1", "CofferdamUpgrade", "SanctuaryRouting"]),
        ]
    )
    func swap(trait: String, linked: [String], absent: [String]) async throws {
        try Annex.mirror()
        let line = Self.swapLine.replacing("SDKv1", with: trait)
        try await Annex.changing("Package.swift", { try replacingOnce(Self.swapLine, with: line, in: $0) }) {
            let app = try await app(on: trait)
            let symbols = try await Annex.run("nm", [app.path(percentEncoded: false)])
            try #require(symbols.isSuccess, "\(symbols.text.suffix(1000))")
            let names = symbols.text.split(separator: "\n")
            let strings = try Data(contentsOf: app)
            for module in linked { #expect(names.contains { $0.contains(mangled(module)) }, "\(module) is not linked") }
            for module in absent {
                #expect(names.filter { $0.contains(module) }.prefix(3) == [])
                #expect(strings.firstRange(of: Data(module.utf8)) == nil, "a string of \(module) is in the binary")
            }
        }
    }

    /// The app on one SDK, by the copy's default trait: the one beside these tests if it was built so, or the copy's.
    private func app(on trait: String) async throws -> URL {
        if trait == Self.ownTrait { return House.products.appending(path: "sanctuary") }
        let build = try await Annex.buildSanctuary()
        try #require(build.isSuccess, "\(build.text.suffix(4000))")
        return Annex.sanctuary
    }

    private static let ownTrait: String = {
        #if Staged
            "Staged"
        #elseif SDKv1
            "SDKv1"
        #else
            "SDKv2"
        #endif
    }()

    @Test(
        "Both SDKs without the router, or none, do not build, and say so",
        arguments: [
            ("SDKv1,SDKv2", "both SDKs are linked without a router between them"), ("Example", "no SDK is linked"),
        ]
    )
    func contradictions(traits: String, refusal: String) async throws {
        try Annex.mirror()
        // The file stands alone, or all that its target needs would be compiled for the traits first.
        let name = "Contradictions.swift"
        let file = House.root.appending(path: "Sources/Wall/SanctuarySDK").appending(path: name)
        try Annex.add(try String(contentsOf: file, encoding: .utf8), at: "Sources/Contradictions/\(name)")
        let target = #".target(name: "Contradictions", path: "Sources/Contradictions")"#
        try await Annex.changing("Package.swift", { $0 + "\npackage.targets.append(\(target))\n" }) {
            let build = try await Annex.build(["--target", "Contradictions"], traits: traits)
            #expect(!build.isSuccess)
            #expect(build.text.split(separator: "\n").contains { $0.contains("error:") && $0.contains(refusal) })
        }
    }

    @Test("The staged build links both SDKs")
    func staged() async throws {
        try Annex.mirror()
        let build = try await Annex.buildSanctuary(traits: "Staged")
        try #require(build.isSuccess, "\(build.text.suffix(4000))")
        let symbols = try await Annex.run("nm", [Annex.sanctuary.path(percentEncoded: false)])
        #expect(symbols.text.contains(mangled("MenagerieV1")))
        #expect(symbols.text.contains(mangled("MenagerieV2")))
        #expect(symbols.text.contains(mangled("CofferdamUpgrade")))
    }

    /// A module as Swift's name mangling spells it: its length, then its name.
    private func mangled(_ module: String) -> String { "\(module.utf8.count)\(module)" }
}

/// Replaces the one place where `text` stands; anything but one place is an error.
func replacingOnce(_ text: String, with replacement: String, in whole: String) throws -> String {
    try #require(whole.ranges(of: text).count == 1, "not exactly one place: \(text)")
    return whole.replacing(text, with: replacement)
}
