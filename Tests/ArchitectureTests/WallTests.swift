import Foundation
import Testing

/// CI runs the suite once for each trait, and the nested builds once: they build with every trait themselves.
private let isSkipped = ProcessInfo.processInfo.environment["COFFERDAM_SKIP_NESTED_BUILDS"] != nil

/// What needs builds of its own; one at a time, in one copy of the checkout.
///
/// A change of traits compiles the whole copy anew, so there are two: SDKv2, and then Staged. Tests of one suite go by
/// their files' names and lines: the swap is first, then the staged build as it is, and what must not build with it.
@Suite("NestedBuilds", .serialized, .disabled(if: isSkipped, "COFFERDAM_SKIP_NESTED_BUILDS is set"))
struct NestedBuilds {
    @Test(
        "An adapter that shows a vendor's type does not compile",
        arguments: [
            "public func leak() -> MenagerieV1.Animal? { nil }",
            "public struct Leak { public var animal: MenagerieV1.Animal }",
            "public typealias Leak = MenagerieV1.Animal",
            "package func leak(_ animal: MenagerieV1.Animal) {}",
        ]
    )
    func leakingAdapter(leak: String) async throws {
        try Annex.mirror()
        try await Annex.changing(
            "Sources/Wall/MenagerieV1Adapter/Translation/AnimalTranslator.swift",
            { $0 + "\n\(leak)\n" }
        ) {
            let build = try await Annex.build(["--target", "MenagerieV1Adapter"], traits: "Staged")
            #expect(!build.isSuccess)
            #expect(
                build.text.contains(/cannot (be declared public|use .* here|be declared package)|uses an internal type/)
            )
        }
    }

    @Test("The app cannot import a vendor's module: the compiler refuses it, and so does the lint")
    func vendorImportedByTheApp() async throws {
        try Annex.mirror()
        let path = "Sources/Sanctuary/sanctuary/Sanctuary.swift"
        try await Annex.changing(path, { "import MenagerieV1\n" + $0 }) {
            let build = try await Annex.buildSanctuary(traits: "Staged")
            #expect(!build.isSuccess)
            #expect(
                build.text.contains("doesn't allow importation from module") || build.text.contains("allowable client")
            )
            let text = try String(contentsOf: Annex.house.appending(path: path), encoding: .utf8)
            let violations = Lint.violations(in: SourceFile(path: path, text: text))
            #expect(violations.contains("\(path):1: sanctuary may not import MenagerieV1"))
        }
    }
}
