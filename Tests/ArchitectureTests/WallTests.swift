#if Sandbox
import Foundation
import Testing

/// Whether the vendors' modules were built to refuse other importers, as `./dev` does.
private let isWalled = ProcessInfo.processInfo.environment["COFFERDAM_WALL"] != nil

@Suite("The wall, as the compiler enforces it")
struct WallTests {
    @Test(
        "An adapter that exposes a vendor's type does not compile",
        arguments: [
            "public func leak() -> MenagerieV1.Animal? { nil }",
            "public struct Leak { public var animal: MenagerieV1.Animal }",
            "public typealias Leak = MenagerieV1.Animal",
            "package func leak(_ animal: MenagerieV1.Animal) {}",
        ]
    )
    func leakingAdapter(leak: String) async throws {
        let check = try await Compiler(of: "MenagerieV1Adapter").check("import MenagerieV1\n\(leak)")
        #expect(!check.isSuccess)
        #expect(
            check.text.contains(/cannot (be declared public|use .* here|be declared package)|uses an internal type/),
            "\(check.text)"
        )
    }

    @Test("An adapter that keeps a vendor's type to itself compiles")
    func keepingAdapter() async throws {
        let text = "import MenagerieV1\nfunc keep() -> MenagerieV1.Animal? { nil }"
        let check = try await Compiler(of: "MenagerieV1Adapter").check(text)
        #expect(check.isSuccess, "\(check.text)")
    }

    @Test("The lint refuses an app that imports a vendor's module")
    func vendorImportedByTheApp() async throws {
        let path = "Sources/Sanctuary/sanctuary/Sanctuary.swift"
        let text = try String(contentsOf: House.root.appending(path: path), encoding: .utf8)
        let violations = try await Lint.ofCheckout().violations(
            in: SourceFile(path: path, text: "import MenagerieV1\n" + text)
        )
        #expect(violations.contains("\(path):1: sanctuary may not import MenagerieV1"))
    }

    @Test(
        "The compiler refuses an app that imports a vendor's module",
        .enabled(if: isWalled, "the modules were built without COFFERDAM_WALL, which ./dev sets"),
        arguments: ["MenagerieV1", "MenagerieV2"]
    )
    func vendorSeenByTheCompiler(vendor: String) async throws {
        let check = try await Compiler(of: "SanctuaryHarness").named("sanctuary").check("import \(vendor)")
        #expect(!check.isSuccess)
        #expect(
            check.text.contains("doesn't allow importation from module") || check.text.contains("allowable client"),
            "\(check.text)"
        )
    }
}
#endif
