#if CommandLine && canImport(Subprocess)
import Foundation
import Testing

@testable import CofferdamTool

@Suite(.timeLimit(.minutes(5))) struct VendorCopyTests {
    @Test func `with the printed lines, one graph holds both majors`() async throws {
        try await VendorFixture.with { fixture in
            try await fixture.release("v1.4.2", VendorFixture.widgets(1))
            try await fixture.release("v2.0.0", VendorFixture.widgets(2))
            let plan = try await fixture.copy("1.4.2")
            #expect(plan.obstacles == [])
            #expect(plan.isWritten)
            #expect(plan.aliases == ["Widgets": "WidgetsV1", "WidgetsCore": "WidgetsCoreV1"])
            let record = try OutputFile.read(
                VendorRecord.self,
                from: fixture.package + "/Vendors/widgets-v1/vendor-copy.json"
            )
            #expect(record == plan.record)
            #expect(record.tag == "v1.4.2" && record.commit.utf8.count == 40)
            #expect(!fixture.exists("app/Vendors/widgets-v1/.git"))
            // Without it the copy's module would import the other major's: "widget 1 of core 2".
            #expect(plan.addition?.contains("\"Widgets\": [\"WidgetsCore=WidgetsCoreV1\"]") == true)

            try fixture.write([
                "app/Package.swift": VendorFixture.manifest(
                    "app",
                    """
                    dependencies: [
                        .package(url: "file://\(fixture.source)", from: "2.0.0"),
                        \(plan.line)
                    ],
                    targets: [
                        .executableTarget(
                            name: "app",
                            dependencies: [
                                .product(name: "Widgets", package: "widgets"),
                                \(plan.products[0].line)
                            ]
                        )
                    ]
                    """
                ),
                "app/Sources/app/Old.swift": "import WidgetsV1\nlet old = Widget().text\n",
                "app/Sources/app/New.swift": "import Widgets\nlet new = Widget().text\n",
                "app/Sources/app/main.swift": "print(old, new, separator: \"; \")\n",
            ])
            let said = try await fixture.run("swift", "run", "--quiet", "--package-path", fixture.package)
            #expect(said == "widget 1 of core 1; widget 2 of core 2\n")
        }
    }

    @Test func `nothing is overwritten, and a dry run writes nothing`() async throws {
        try await VendorFixture.with { fixture in
            try await fixture.release("1.0.0", VendorFixture.widgets(1))
            #expect(await fixture.exitCode("--version", "1.0.0", "--as", "widgets-v1", "--dry-run", "--json") == 0)
            #expect(!fixture.exists("app/Vendors"))
            #expect(
                await fixture.exitCode("--version", "1.0.0", "--as", "widgets-v1", "--into", "Other/Copies") == 0
            )
            #expect(fixture.exists("app/Other/Copies/widgets-v1/Package.swift"))
            try fixture.write(["app/Vendors/widgets-v1/mine.txt": "mine"])
            #expect(await fixture.exitCode("--version", "1.0.0", "--as", "widgets-v1") == 1)
            #expect(!fixture.exists("app/Vendors/widgets-v1/Package.swift"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: fixture.package + "/Vendors") == ["widgets-v1"]
            )
        }
    }

    @Test func `a missing tag, a branch of its name, and a folder without a package are reported`() async throws {
        try await VendorFixture.with { fixture in
            try await fixture.release("1.0.0", VendorFixture.widgets(1))
            await #expect {
                _ = try await fixture.copy("7.0.0")
            } throws: { error in
                "\(error)".contains("has no tag '7.0.0'; the newest are 1.0.0")
            }
            try await fixture.run("git", "-C", fixture.source, "checkout", "--quiet", "-b", "1.0.0")
            try fixture.write(["widgets/more.txt": "more"])
            try await fixture.run("git", "-C", fixture.source, "add", "more.txt")
            try await fixture.run(
                "git",
                "-C",
                fixture.source,
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "commit",
                "--quiet",
                "--message",
                "more"
            )
            await #expect {
                _ = try await fixture.copy("1.0.0")
            } throws: { error in
                "\(error)".contains("'1.0.0' is also a branch of")
            }
            try FileManager.default.removeItem(at: fixture.app)
            #expect(await fixture.exitCode("--version", "1.0.0", "--as", "widgets-v1") == 1)
            #expect(!fixture.exists("app"))
        }
    }

    @Test func `names that aliases cannot keep apart are refused, each with its reason`() async throws {
        try await VendorFixture.with { fixture in
            try fixture.write(["widgets/Sources/Widgets/Empty.swift": ""])
            try FileManager.default.createSymbolicLink(
                atPath: fixture.source + "/Sources/Widgets/escape",
                withDestinationPath: "../../../app"
            )
            try await fixture.release("1.0.0", Self.everything)
            let plan = try await fixture.copy("1.0.0")
            let reasons = [
                "the product Fixed is declared a dynamic library", "the product tool is of the kind executable",
                "the target CWidgets is in C", "the target SystemWidgets is a system library",
                "the target BinaryWidgets is a binary target", "the target MacroWidgets is a macro",
                "the target Widgets has unsafe flags", "the target Widgets uses the plugin Generate",
                "the target Widgets has resources (logo.txt): both majors' bundle is Everything_Widgets",
                "the target Widgets has @_cdecl, a symbol that both majors would define at Sources/Widgets/Widgets.swift:1",
                "the target Widgets has @objc with a name, under which both majors would register a class at Sources/Widgets/Widgets.swift:3",
                "the package depends on other by a path", "the package has git submodules",
                "the link Sources/Widgets/escape leads out of the package",
            ]
            for reason in reasons {
                #expect(plan.obstacles.count { $0.hasPrefix(reason) } == 1, "\(reason): \(plan.obstacles)")
            }
            // The targets of the tests and of the tool are in no library.
            #expect(!plan.obstacles.contains { $0.contains("WidgetsTests") || $0.contains("Plain") })
            #expect(plan.obstacles.count == reasons.count, "\(plan.obstacles)")
            #expect(!plan.isWritten && !fixture.exists("app/Vendors"))
            #expect(await fixture.exitCode("--version", "1.0.0", "--as", "widgets-v1", "--json") == 1)
        }
    }

    @Test func `a manifest that cannot be extended is refused if a module imports another one`() async throws {
        try await VendorFixture.with { fixture in
            var files = VendorFixture.widgets(1)
            files["Package@swift-5.9.swift"] = files["Package.swift"]?
                .replacing("let package =", with: "let theirs =").replacing("version: 6.0", with: "version: 5.9")
            try await fixture.release("1.0.0", files)
            let reason =
                "Package@swift-5.9.swift declares no variable 'package' to which the copy could add its modules' aliases"
            #expect(try await fixture.copy("1.0.0", isDry: true).obstacles == [reason])
            files["Package.swift"] = VendorFixture.manifest(
                "Widgets",
                """
                products: [.library(name: "WidgetsCore", targets: ["WidgetsCore"])], targets: [.target(name: "WidgetsCore")]
                """
            )
            try await fixture.release("1.1.0", files)
            let single = try await fixture.copy("1.1.0")
            #expect(single.obstacles == [] && single.addition == nil)
        }
    }

    @Test func `names that the adopter already uses are refused`() async throws {
        try await VendorFixture.with { fixture in
            try await fixture.release("1.0.0", VendorFixture.widgets(1))
            try fixture.write([
                "app/Package.swift": VendorFixture.manifest(
                    "app",
                    """
                    dependencies: [.package(path: "Elsewhere/widgets-v1")],
                    targets: [.target(name: "WidgetsV1")]
                    """
                )
            ])
            let plan = try await fixture.copy("1.0.0")
            #expect(
                plan.obstacles == [
                    "your package already depends on a package 'widgets-v1': choose another name with --as",
                    "your package has a target WidgetsV1, which would be the copy's module: choose another name with --as",
                ]
            )
        }
    }

    @Test(
        arguments: [
            ["--as", "widgets"], ["--as", "Widgets-"], ["--as", "../widgets-v1"], ["--as", "-v1"],
            ["--as", ".git"],
            ["--as", "widgets-v1", "--into", "../Vendors"], ["--as", "widgets-v1", "--into", "/tmp"],
            ["--as", "widgets-v1", "--version", "--upload-pack=x"],
        ]
    )
    func `an invalid name or a folder outside the package is wrong usage`(_ arguments: [String]) async {
        let version = arguments.contains("--version") ? [] : ["--version", "1.0.0"]
        let command = ["vendor-copy", "https://example.org/Widgets.git"] + version + arguments
        #expect(await command.exitCode(of: SoundTool.self) == 64)
    }

    /// A package with one of everything that cannot be copied.
    private static let everything = [
        "Package.swift": VendorFixture.manifest(
            "Everything",
            """
            products: [
                .library(name: "Widgets", targets: ["Widgets"]),
                .library(name: "Fixed", type: .dynamic, targets: ["Widgets"]),
                .executable(name: "tool", targets: ["tool"]),
            ],
            dependencies: [.package(path: "../other")],
            targets: [
                .target(
                    name: "Widgets",
                    dependencies: [
                        "CWidgets", "SystemWidgets", "MacroWidgets", .product(name: "Other", package: "other"),
                        .target(name: "BinaryWidgets", condition: .when(platforms: [.macOS])),
                    ],
                    resources: [.copy("logo.txt"), .embedInCode("words.txt")],
                    swiftSettings: [.unsafeFlags(["-enable-testing"])],
                    plugins: ["Generate"]
                ),
                .target(name: "CWidgets"),
                .systemLibrary(name: "SystemWidgets"),
                .macro(name: "MacroWidgets"),
                .binaryTarget(
                    name: "BinaryWidgets",
                    url: "https://example.org/w.zip",
                    checksum: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
                ),
                .plugin(name: "Generate", capability: .buildTool()),
                .executableTarget(name: "tool", dependencies: ["Plain"]),
                .target(name: "Plain", resources: [.copy("plain.txt")]),
                .testTarget(name: "WidgetsTests"),
            ]
            """
        ),
        "Sources/Widgets/Widgets.swift": """
        @_cdecl("widgets_open") public func open() {}
        // @_cdecl("comment") and "@_cdecl(text)" are none.
        @objc(WDWidget) public final class Widget: NSObject { @objc(drawIn:) func draw(_ area: Int) {} }

        """,
        "Sources/Widgets/logo.txt": "logo", "Sources/Widgets/words.txt": "words",
        "Sources/CWidgets/include/widgets.h": "int widgets(void);",
        "Sources/CWidgets/widgets.c": "int widgets(void) { return 1; }",
        "Sources/SystemWidgets/module.modulemap": "module SystemWidgets { header \"z.h\" }",
        "Sources/SystemWidgets/z.h": "",
        "Sources/MacroWidgets/Macro.swift": "let macro = 1", "Plugins/Generate/Generate.swift": "let plugin = 1",
        "Sources/tool/main.swift": "@_cdecl(\"tool\") func tool() {}", "Sources/Plain/Plain.swift": "let plain = 1",
        "Sources/Plain/plain.txt": "plain", "Tests/WidgetsTests/Tests.swift": "@_cdecl(\"test\") func test() {}",
        ".gitmodules": "",
    ]
}
#endif
