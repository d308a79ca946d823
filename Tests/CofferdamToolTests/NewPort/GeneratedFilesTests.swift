#if CommandLine && canImport(Subprocess)
import Cofferdam
import Foundation
import Subprocess
import Testing
import TestSupport

@testable import CofferdamTool

/// Checks the generated files against the modules of this build, all in one module, where names hide each other most.
@Suite("The files that new-port writes compile, whatever is named how", .enabled(if: GeneratedFiles.modules != nil))
struct GeneratedFilesTests {
    /// The names that the generator itself writes, and those of what it generates for "Weather".
    private static let own: [String] = {
        let locals = [
            "port", "vendor", "subject", "page", "query", "input", "list", "items", "item", "count", "name", "call",
            "calls", "effect",
            "operation", "probed", "faulty", "all", "held", "time", "errors", "rules", "mutants", "fault", "times",
            "incident", "number",
            "event", "error", "samples", "unknown", "events", "hasBegun", "context", "letters", "deadline",
            "isTimeout", "isClosed",
            "failure", "faults", "isNotFound", "isInvalidCursor", "isOverflow", "failing", "rule", "clean",
            "stream", "proxy", "request",
            "bytes", "inject", "clearFaults", "arrivals", "waitForArrivals", "waitForHeld", "release", "clock",
            "close", "v1", "v2",
            "fake", "category", "next", "cursor", "limit", "value1", "value2", "cancellation", "prepare", "Calls",
            "setCalls",
            "unknownCall", "blankCall", "backend", "legacy", "candidate", "plan", "failures", "session", "upgrade",
        ]
        let generated =
            [
                "Operations", "Subject", "Vendor", "Fixtures", "Rules", "Families", "AllCalls", "WiredCall", "Own",
                "Replaced", "Tests", "UpgradeTests",
            ].map { "Weather\($0)" } + ["Weather", "V1Weather", "V2Weather", "FakeWeather", "V1WeatherVendor"]
        return locals + generated + GeneratedNames.imported.keys.sorted() + GeneratedNames.generic.sorted()
    }()

    private static let words = GeneratedNames.keywords.subtracting(["_"]).sorted() + own

    private static let thing = """
        public struct Thing: Sendable, Hashable {
          public var id: String
          public init(id: String) { self.id = id }
        }

        """

    @Test("Any word is the name of a method, of a label and of a parameter", arguments: 0..<4)
    func words(part: Int) async throws {
        // The files of a port with all words take the compiler long.
        let words = Self.words.filter { $0 != "WeatherOperations" }.enumerated().filter { $0.offset % 4 == part }
            .map(\.element)
        let writes = words.map { "  func `\($0)`(`\($0)`: Int, b `\($0)2`: Elsewhere) async throws -> Int" }
        let reads = words.map { "  func `read\($0)`(`\($0)` id: String) async throws -> Thing" }
        let gets = words.map { "  func `\($0)`(of `\($0)`: String) async throws -> Thing" }
        let streams = words.map {
            "  func `\($0)`(in `\($0)`: Int) -> any AsyncSequence<Thing, any Error> & Sendable"
        }
        for (methods, effect) in [(writes, Effect.write), (reads, .read), (gets, .read), (streams, .read)] {
            let source = Self.thing + "public struct Elsewhere: Sendable { let secret: Int }\n"
            try await GeneratedFiles.check(source, methods, effect)
        }
    }

    @Test("A type may have the name of one of the kit's or the standard library's types", arguments: 0..<3)
    func types(part: Int) async throws {
        // A protocol that names the first two is refused, as those names are that are said to be.
        let names = (GeneratedNames.imported.keys.sorted() + GeneratedNames.generic.sorted()).filter {
            !["Sendable", "AsyncThrowingStream"].contains($0) && !GeneratedNames.refused.contains($0)
        }
        // Many types in one port take the generator long.
        let types = names.enumerated().filter { $0.offset % 3 == part }.map(\.element)
        let declarations = types.map {
            "public struct \($0): Swift.Sendable, Hashable { public var id: Swift.Int64; public init(_ id: Swift.Int64) { self.id = id } }\n"
        }
        let methods = types.enumerated().map {
            """
              func get\($0)(_ id: \($1)) async throws -> \($1)
              func all\($0)(a: \($1), b: [\($1)]) async throws -> [\($1)]
              func stream\($0)(a: \($1)) -> any AsyncSequence<\($1), any Swift.Error> & Sendable
            """
        }
        try await GeneratedFiles.check(declarations.joined(), methods, .read)
    }

    @Test("Names with blanks, overloads, and names that are parts of other names")
    func oddNames() async throws {
        let methods = [
            "func `every adapter`(_ id: String) async throws -> Thing",
            "func everyAdapter(_ id: String) async throws -> Thing",
            "func `2 of them`(`the id` id: String, `class` `a b`: Int) async throws",
            "func calls(_ id: Int) async throws",
            "func a(_ id: String) async throws -> Thing", "func A(_ id: String) async throws -> Thing",
            "func unknownA(_ id: String) async throws -> Thing",
            "func unknownAB(_ id: String) async throws -> Thing",
            "func order(id: Hidden) async throws", "func orderId(_ id: String) async throws -> Thing",
            "func `let`(`inout`: Int, `var`: Int, `let`: Int, `_x` y: Int) async throws",
        ]
        let source = Self.thing + "public struct Hidden: Sendable { let secret: Int }\n"
        try await GeneratedFiles.check(source, methods, nil)
    }

    @Test(
        "A port may have the name of one of the kit's types",
        arguments: ["Port", "Rule", "Held", "Probed", "Any2", "Intercepted", "Upgrade", "Services", "Options"]
    )
    func portNames(name: String) async throws {
        let methods = [
            "func a(_ id: String) async throws -> Thing", "func b(x: Int, y: Int) async throws",
            "func c() -> any AsyncSequence<Thing, any Error> & Sendable",
        ]
        try await GeneratedFiles.check(Self.thing, methods, nil, port: name)
    }

    @Test(
        "A type of a name that is generated, or hides too much, is refused by name",
        arguments: GeneratedNames.refused.sorted() + ["WeatherRules"]
    )
    func takenNames(name: String) throws {
        let error = #expect(throws: NewPortError.self) {
            try GeneratedFiles.plan("public struct \(name) {}", ["func a(x: Int) async throws"], nil)
        }
        #expect(error?.description.contains("'\(name)'") == true)
    }

    @Test("The fields of what is read by its id are written, also those of nested types, and compile")
    func fields() async throws {
        let source = """
            public enum Size: Sendable, Hashable { case small, large }

            public struct Book: Sendable, Hashable {
              public struct Price: Sendable, Hashable {
                public var cents: Int64
                public let code: String
                public init(cents: Int64, code: String) { (self.cents, self.code) = (cents, code) }
              }

              public let id: String
              public var title: String
              public var pages: Int?
              public var price: Price
              public var tags: [String]
              public var size: Size
              public var weight: Double
              public init(
                id: String, title: String, pages: Int?, price: Price, tags: [String], size: Size, weight: Double
              ) {
                (self.id, self.title, self.pages, self.price) = (id, title, pages, price)
                (self.tags, self.size, self.weight) = (tags, size, weight)
              }
            }

            """
        let methods = ["func book(_ id: String) async throws -> Book", "func size(_ id: String) async throws -> Size"]
        let plan = try GeneratedFiles.plan(source, methods, .read)
        let rules = try #require(plan.files.first { $0.path.hasSuffix("WeatherRules.swift") }).text
        let fields = rules.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("Field(") }
        #expect(
            fields == [
                #"Field("pages", \.pages, .optional(.integer(Int.min...Int.max))),"#,
                #"Field("price.cents", \.price.cents, .integer(Int64.min...Int64.max)),"#,
                #"Field("size", \.size, .enumeration(["small": .small, "large": .large])),"#,
                #"Field("tags", \.tags, .list(.text)),"#, #"Field("title", \.title, .text),"#,
            ]
        )
        try await GeneratedFiles.check(source, methods, .read)
    }

    @Test("A function of a name that is generated is refused by name")
    func takenFunction() throws {
        let error = #expect(throws: NewPortError.self) {
            try GeneratedFiles.plan("", ["func WeatherOperations(x: Int) async throws"], nil)
        }
        #expect(error?.description.contains("'WeatherOperations'") == true)
    }

    @Test("The list of the kit's names that the files use is whole")
    func importedNames() throws {
        let methods = [
            "func a(_ id: String) async throws -> Thing", "func b(x: Int, y: Int) async throws",
            "func c() -> any AsyncSequence<Thing, any Error> & Sendable",
            "func d(after: String?, limit: Int) async throws -> ThingPage",
        ]
        let page = """
            public struct ThingPage: Sendable {
              public var items: [Thing]
              public var next: String?
              public init(items: [Thing], next: String?) { (self.items, self.next) = (items, next) }
            }

            """
        let plan = try GeneratedFiles.plan(Self.thing + page, methods, .read, usesProxy: true)
        var unknown: Set<String> = []
        for file in plan.files where file.path.hasPrefix("Sources/") {
            let tokens = try SwiftTokens(file.text).tokens
            for (before, token) in zip([SwiftToken(text: "", line: 0, isSpaced: false)] + tokens, tokens)
            where token.isWord && token.text.first?.isUppercase == true && ![".", "import"].contains(before.text) {
                let isOwn = token.text.contains("Weather") || token.text.hasPrefix("Thing")
                let isKnown =
                    GeneratedNames.imported[token.text] != nil || GeneratedNames.generic.contains(token.text)
                if !isOwn, !isKnown { unknown.insert(token.text) }
            }
        }
        // The user's own words.
        #expect(unknown.subtracting(["AsyncSequence", "Self"]) == [])
    }
}

private enum GeneratedFiles {
    /// The folder with the modules of this build; nil if the tests are no executable beside it.
    static let modules: String? = {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folder = program.appending(path: "Modules").path
        return FileManager.default.fileExists(atPath: folder + "/CofferdamContracts.swiftmodule") ? folder : nil
    }()

    /// The folder of SQLite's module, without which that of the upgrade cannot be read where it keeps its state in SQLite.
    private static var sqlite: String {
        let build = URL(filePath: modules ?? "").resolvingSymlinksInPath().appending(path: "../../..")
        return build.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite").standardizedFileURL.path
    }

    static func plan(
        _ source: String,
        _ methods: [String],
        _ effect: Effect?,
        port: String = "Weather",
        usesProxy: Bool = false
    ) throws -> PortPlan {
        let text = self.text(methods, port)
        let read = try PortReader.read(port, in: text)
        return try PortPlan(
            read,
            module: "App",
            types: DeclaredTypes(in: [.init(file: "App.swift", text: source + text)], access: "public"),
            effects: effect.map { effect in PortPlan.names(of: read.methods).map { ($0, effect) } } ?? [],
            usesProxy: usesProxy
        )
    }

    private static func text(_ methods: [String], _ port: String) -> String {
        "public protocol \(port): Sendable {\n\(methods.joined(separator: "\n"))\n}\n"
    }

    /// Type-checks the app's source and all generated files but the tests, as one module.
    static func check(
        _ source: String,
        _ methods: [String],
        _ effect: Effect?,
        port: String = "Weather",
        usesProxy: Bool = false
    ) async throws {
        let plan = try plan(source, methods, effect, port: port, usesProxy: usesProxy)
        let folder = FileManager.default.temporaryDirectory.appending(path: "generated-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder.path) }
        var files = ["\(folder.path)/App.swift"]
        try (source + text(methods, port)).write(toFile: files[0], atomically: false, encoding: .utf8)
        for file in plan.files where file.path.hasPrefix("Sources/") {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("import \(port)") && !$0.hasSuffix("import App") }
            files.append("\(folder.path)/\(file.path.split(separator: "/").joined(separator: "-"))")
            try lines.joined(separator: "\n").write(toFile: files.last ?? "", atomically: false, encoding: .utf8)
        }
        let result = try await Subprocess.run(
            .name("swiftc"),
            arguments: Arguments(
                [
                    "-typecheck", "-swift-version", "6", "-module-name", "App", "-parse-as-library", "-I",
                    modules ?? "", "-I", sqlite,
                ] + files
            ),
            environment: .inherit.updating(["TMPDIR": folder.path]),
            output: .discarded,
            error: .string(limit: 64 << 20)
        )
        let errors = result.standardError.split(separator: "\n").filter { $0.contains("error:") }
        #expect(result.terminationStatus.isSuccess, "\(errors.prefix(20).joined(separator: "\n"))")
    }
}
#endif
