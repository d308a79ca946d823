#if Sandbox
import CofferdamTool
import Foundation
import Testing

@Suite("ImportLint: the wall, as the text of every file shows it")
struct ImportLintTests {
    @Test("Every file of the checkout keeps the wall")
    func everyFileKeepsTheWall() async throws {
        let files = try House.swiftFiles()
        #expect(files.count > 100)
        let lint = try await Lint.ofCheckout()
        #expect(files.flatMap(lint.violations) == [])
    }

    @Test("Every package of the checkout that has a table keeps it: each target has a row, and each row a target")
    func everyPackageKeepsItsTable() async throws {
        let reports = try await Lint.ofCheckout().reports()
        #expect(reports.flatMap(\.violations).map(\.description) == [])
        #expect(reports.map { $0.files > 5 } == [true, true])
    }

    @Test("The built command reports the same about the checkout")
    func checkoutCommand() async throws {
        let tool = House.products.appending(path: "cofferdam").path(percentEncoded: false)
        let outcome = try await Command.run(path: tool, ["wall"], in: House.root)
        #expect(outcome.isSuccess)
        #expect(outcome.text.hasPrefix("The wall holds: "), "\(outcome.text)")
    }

    @Test(
        "What must be refused is refused",
        arguments: [
            ("Sources/Sanctuary/sanctuary/A.swift", "import MenagerieV1", "sanctuary may not import MenagerieV1"),
            ("Sources/Sanctuary/SanctuaryApp/A.swift", "#if os(Plan9)\nimport MenagerieV2\n#endif", "may not import"),
            (
                "Sources/Sanctuary/SanctuaryApp/A.swift", "import struct MenagerieV2.Animal",
                "may not import MenagerieV2"
            ),
            ("Sources/Sanctuary/SanctuaryApp/A.swift", "let a = 1; import MenagerieV2", "may not import MenagerieV2"),
            (
                "Sources/Sanctuary/SanctuaryDomain/A.swift", "import Foundation",
                "SanctuaryDomain may not import Foundation"
            ),
            (
                "Sources/Kit/Core/CofferdamContracts/A.swift", "import Testing",
                "CofferdamContracts may not import Testing"
            ),
            (
                "Sources/Kit/Core/Cofferdam/A.swift", "import SanctuaryDomain",
                "Cofferdam may not import SanctuaryDomain"
            ),
            ("Sources/Adapters/MenagerieV1Adapter/A.swift", "public import MenagerieV1", "imported as public"),
            ("Sources/Adapters/MenagerieV1Adapter/A.swift", "@testable import MenagerieV1", "imported as @testable"),
            ("Sources/Adapters/MenagerieV1Adapter/A.swift", "@_exported import MenagerieV1", "is re-exported"),
            ("Sources/Adapters/MenagerieV1Adapter/A.swift", "import MenagerieV2", "may not import MenagerieV2"),
            ("Sources/Team/SanctuaryHarness/A.swift", "import MenagerieV1", "may not import MenagerieV1"),
            (
                "Sources/Adapters/MenagerieV1Adapter/A.swift", "@_exported\nimport MenagerieV1",
                "A.swift:2: MenagerieV1 is re-exported"
            ),
            ("Sources/Nowhere/A.swift", "import Foundation", "belongs to no target"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "let a = \"", "its imports cannot be read: a string does not end"),
            ("Tests/Fuzz/A.swift", "import Cofferdam", "Tests/Fuzz/A.swift:1: fuzz may not import Cofferdam"),
            ("Sources/Sanctuary/SanctuaryApp/A.swift", "// as Menagerie does", "says Menagerie"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "let name = \"sanctuary\"", "says Sanctuary"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "Task { await run() }", "a bare Task"),
            ("Sources/Adapters/SanctuarySDK/A.swift", "Task.detached { await run() }", "a bare Task"),
            ("Tests/CofferdamTests/A.swift", "let a = Process()", "Foundation's Process"),
            (
                "Sources/Adapters/MenagerieV1Adapter/A.swift",
                "import MenagerieV1\nsdk.fetch { animal, error in done() }",
                "is not @Sendable"
            ),
            ("Sources/Kit/Core/Cofferdam/A.swift", "final class A: @unchecked Sendable {}", "not proven"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "let a = try! b()", "not proven"),
        ]
    )
    func refused(path: String, text: String, reason: String) async throws {
        let violations = try await Lint.ofCheckout().violations(in: SourceFile(path: path, text: text))
        #expect(violations.contains { $0.contains(reason) }, "\(violations)")
    }

    @Test(
        "What is allowed is not refused",
        arguments: [
            ("Sources/Adapters/MenagerieV1Adapter/A.swift", "import MenagerieV1\nimport SanctuaryDomain"),
            (
                "Sources/Adapters/MenagerieV1Adapter/A.swift",
                "import MenagerieV1\nsdk.fetch { @Sendable animal, error in }"
            ),
            ("Sources/Kit/Core/Cofferdam/A.swift", "public import Logging  // an adopter's logger"),
            (
                "Sources/Kit/Core/Cofferdam/A.swift",
                "let text = \"\"\"\n  import MenagerieX\n  \"\"\"".replacing("MenagerieX", with: "Y")
            ),
            ("Sources/Kit/Core/Cofferdam/A.swift", "/* import Testing /* nested */ import Testing */"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "Task(executorPreference: executor) { await run() }"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "Task { @MainActor in run() }"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "extension Task {}"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "// Proof: behind a lock.\nfinal class A: @unchecked Sendable {}"),
            ("Tests/CofferdamFleetTests/A.swift", "let a = try await ServerProcess(b)"),
            ("Sources/Kit/Core/Cofferdam/A.swift", "let a = #\"a \" import Testing\"#"),
        ]
    )
    func allowed(path: String, text: String) async throws {
        let lint = try await Lint.ofCheckout()
        #expect(lint.violations(in: SourceFile(path: path, text: text)) == [])
    }
}
#endif
