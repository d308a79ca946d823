import Testing

@testable import CofferdamTool

@Suite("Reading a source file's imports")
struct ImportDeclarationTests {
    @Test(
        "An import is read with its module, its modifiers and its line",
        arguments: [
            ("import A", ["1 A"]),
            ("import A.B", ["1 A"]),
            ("import struct A.B", ["1 A"]),
            ("import func A.b", ["1 A"]),
            ("import `A`", ["1 A"]),
            ("import\n  A", ["1 A"]),
            ("let a = 1; import A", ["1 A"]),
            ("#if os(Plan9)\nimport A\n#else\nimport B\n#endif", ["2 A", "4 B"]),
            ("@testable import A\nimport B", ["1 @testable A", "2 B"]),
            ("@testable public import A", ["1 @testable public A"]),
            ("@_exported\n// why\nimport A", ["3 @_exported A"]),
            ("@_spi(Inner) @preconcurrency internal import A", ["1 @_spi @preconcurrency internal A"]),
            ("@available(macOS 15, (iOS 18)) import A", ["1 @available A"]),
            ("\u{FEFF}import A", ["1 A"]),
            ("import A\r\nimport B", ["1 A", "2 B"]),
            ("// why\rimport A", ["2 A"]),
        ]
    )
    func read(text: String, imports: [String]) throws { #expect(try Self.imports(in: text) == imports) }

    @Test(
        "Code that only looks like an import is not one",
        arguments: [
            "// import A", "/* import A /* nested */ import A */", "let a = \"import A\"",
            "let a = \"\"\"\n  import A\n  \"\"\"", "let a = #\"a \" import A\"#", "let a = \"\\(b(\"import A\"))\"",
            "func a(import b: Int) {}", "a(import: b)", "let a = b.import", "func `import`() {}", "let a = /import A/",
            "#if canImport(A)\n#endif",
        ]
    )
    func other(text: String) throws { #expect(try Self.imports(in: text) == []) }

    private static func imports(in text: String) throws -> [String] {
        ImportDeclaration.all(in: try SwiftTokens(text).tokens).map {
            (["\($0.line)"] + $0.modifiers + [$0.module]).joined(separator: " ")
        }
    }
}
