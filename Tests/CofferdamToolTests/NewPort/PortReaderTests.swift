import Cofferdam
import CofferdamSupport
import Testing

@testable import CofferdamTool

@Suite("Reading a protocol from source")
struct PortReaderTests {
    @Test(
        "A method is read with its labels, its parameters' types and its result",
        arguments: [
            ("func a() async throws", "a()", [], "nothing"),
            ("func a() async throws -> Void", "a()", [], "nothing"),
            ("func a(_ id: ID) async throws -> Thing", "a(_:)", ["id: ID"], "Thing"),
            ("func a(of id: ID, days: Int) async throws -> Thing?", "a(of:days:)", ["id: ID", "days: Int"], "Thing?"),
            ("func a(_: Int) async throws -> [String: [Int]]", "a(_:)", ["value1: Int"], "[String: [Int]]"),
            ("func a(in map: [String: (Int, Int)]) async throws", "a(in:)", ["map: [String: (Int, Int)]"], "nothing"),
            ("func `default`() async throws -> Int", "`default`()", [], "Int"),
            ("func a() async throws(any Error) -> Int", "a()", [], "Int"),
            ("func a() async throws -> any AsyncIteratorProtocol", nil, [], ""),
            (
                "func a(_ on: @escaping @Sendable (Int) -> Void) async throws", "a(_:)",
                ["on: @Sendable (Int) -> Void"], "nothing"
            ),
            ("func a(_ on: (@Sendable () -> Void)?) async throws", "a(_:)", ["on: (@Sendable () -> Void)?"], "nothing"),
            ("@discardableResult func a() async throws -> Int", "a()", [], "Int"),
            ("@available(macOS 15, *)\n  func a() async throws -> Int", "a()", [], "Int"),
            ("nonisolated func a() async throws -> Int", "a()", [], "Int"),
            (
                "func a(\n    // first\n    x: Int, /* second */ y: Int\n  )\n  async\n  throws\n  -> Int", "a(x:y:)",
                ["x: Int", "y: Int"], "Int"
            ),
            (
                "func a(_ x: Box<Int, String>) async throws -> Box<Int, Never>;", "a(_:)", ["x: Box<Int, String>"],
                "Box<Int, Never>"
            ),
            ("func ä(_ größe: Int) async throws", "ä(_:)", ["größe: Int"], "nothing"),
            ("func a() -> any AsyncSequence<Event, any Error> & Sendable", "a()", [], "stream of Event"),
            ("func a() -> any Sendable & AsyncSequence<[Event], any Error>", "a()", [], "stream of [Event]"),
            ("func a() -> (any AsyncSequence<Event, any Error> & Sendable)", "a()", [], "stream of Event"),
            ("func a(of id: ID) -> PortEvents<Event>", "a(of:)", ["id: ID"], "stream of Event"),
        ] as [(String, String?, [String], String)]
    )
    func accepted(source: String, name: String?, parameters: [String], result: String) throws {
        let text = "public protocol Port: Sendable {\n  \(source)\n}\n"
        guard let name else {
            #expect(throws: UnreadablePort.self) { try PortReader.read("Port", in: text) }
            return
        }
        let port = try PortReader.read("Port", in: text)
        let method = try #require(port.methods.first)
        #expect(port.methods.count == 1)
        #expect(method.fullName == name)
        #expect(method.parameters.map { "\($0.name): \($0.type)" } == parameters)
        switch method.result {
        case .nothing: #expect(result == "nothing")
        case .value(let type): #expect(result == type)
        case .stream(let element, _): #expect(result == "stream of \(element)")
        }
    }

    @Test(
        "Members that no port can have are refused, with their lines",
        arguments: [
            ("var name: String { get }", "'name' is a property"),
            ("var name: String { get async throws }", "'name' is a property"),
            ("init(x: Int)", "init is not supported"),
            ("subscript(_ x: Int) -> Int { get }", "subscript is not supported"),
            ("associatedtype Item", "associatedtype is not supported"),
            ("typealias Item = Int", "typealias is not supported"),
            ("static func a() async throws", "a method is static"),
            ("mutating func a() async throws", "a method is mutating"),
            ("func a<T>(_ x: T) async throws", "'a' is generic"),
            ("func a(_ x: some Collection) async throws", "generic by 'some'"),
            ("func a() async throws -> some Sequence", "generic by 'some'"),
            ("func a(_ x: Int) async throws -> Int where Int: Sendable", "where clause"),
            ("func a() async throws(PortError) -> Int", "throws only PortError"),
            ("func a() throws -> Int", "not 'async throws'"),
            ("func a() async -> Int", "not 'async throws'"),
            ("func a() -> Int", "not 'async throws'"),
            ("func a(_ x: inout Int) async throws", "is inout"),
            ("func a(_ x: sending Box) async throws", "is sending"),
            ("func a(_ x: Int...) async throws", "variadic"),
            ("func a(_ x: Int = 1) async throws", "has a default"),
            ("func a(_ x: @autoclosure () -> Int) async throws", "autoclosure"),
            ("func a(_ x: @Sendable () -> Int) async throws", "does not escape"),
            ("func a(_ x: @escaping () -> Int) async throws", "not @Sendable"),
            ("func a() async throws -> Self", "names Self"),
            ("func a() -> AsyncThrowingStream<Int, any Error>", "a port's stream is"),
            ("func a() -> any AsyncSequence<Int, any Error>", "a port's stream is"),
            ("func a() -> any AsyncSequence<Int, Never> & Sendable", "a port's stream is"),
            ("func a() async throws -> any AsyncSequence<Int, any Error> & Sendable", "remove 'async' and 'throws'"),
            ("@MainActor func a() async throws", "isolated to @MainActor"),
            ("#if DEBUG\n  func a() async throws\n  #endif", "#if inside a protocol"),
            ("func a() async throws { }", "has a body"),
            ("func a(x) async throws", "has no type"),
            ("func a(x: Int, y x: Int) async throws", "names a parameter twice"),
            ("func a(1: Int) async throws", "not understood"),
            ("func", "has no name"),
            ("func a async throws", "has no parameter list"),
            ("!", "'!' is not understood"),
        ]
    )
    func refused(source: String, reason: String) throws {
        let text = "// The port.\npublic protocol Port: Sendable {\n  \(source)\n  func good() async throws\n}\n"
        let error = try #require(throws: UnreadablePort.self) { try PortReader.read("Port", in: text) }
        #expect(error.problems.contains { $0.line == 3 && $0.text.contains(reason) }, "\(error.problems)")
    }

    @Test(
        "A protocol that cannot be a port says why",
        arguments: [
            ("protocol Port: Sendable { func a() async throws }", "is internal"),
            ("private protocol Port: Sendable { func a() async throws }", "is private"),
            ("public protocol Port { func a() async throws }", "is not Sendable"),
            ("public protocol Port: AnyObject, Sendable { func a() async throws }", "remove AnyObject"),
            ("public protocol Port: Base, Sendable { func a() async throws }", "inherits from 'Base'"),
            ("public protocol Port<Item>: Sendable { associatedtype Item }", "has associated types"),
            ("public protocol Port: Sendable where Self: X { func a() async throws }", "where clause"),
            ("@MainActor public protocol Port: Sendable { func a() async throws }", "isolated to @MainActor"),
            ("public enum Space { public protocol Port: Sendable { func a() async throws } }", "inside another"),
            ("public protocol Port: Sendable { }", "has no methods"),
            ("public protocol Port: Sendable { func a() async throws", "does not end"),
            ("public protocol Other: Sendable { }", "no protocol 'Port'; there is 'Other'"),
            ("// protocol Port", "no protocol 'Port'; there is none"),
            (
                "public protocol Port: Sendable { func a() async throws }\npublic protocol Port: Sendable { }",
                "a second time"
            ),
            ("public protocol Port: Sendable { } \"open", "a string does not end"),
            ("/* open", "a comment does not end"),
        ]
    )
    func refusedProtocol(source: String, reason: String) throws {
        let error = try #require(throws: UnreadablePort.self) { try PortReader.read("Port", in: source) }
        #expect(error.problems.contains { $0.text.contains(reason) }, "\(error.problems)")
    }

    @Test(
        "Comments, strings, regular expressions, bodies and extensions' methods are not mistaken for the protocol"
    )
    func surroundings() throws {
        let port = try PortReader.read("Port", in: Self.crowded)
        #expect(port.methods.map(\.fullName) == ["a(_:)", "b()", "c()"])
        #expect(port.methods.map(\.line) == [20, 22, 23])
        #expect(port.access == "package")
    }

    @Test("Overloads are told apart by their labels")
    func overloads() throws {
        let text = """
            public protocol Port: Sendable {
              func text(_ id: Int) async throws -> String
              func text(for key: String) async throws -> String
              func text(for key: Int) async throws -> String
              func text() async throws -> String
            }
            """
        let names = PortPlan.names(of: try PortReader.read("Port", in: text).methods)
        #expect(names == ["text", "textFor", "text2", "text3"])
    }

    /// Checks that the reader accepts or refuses each source and its mutations. A failure prints the seed.
    @Test("Whatever the source, it is read or refused", arguments: [1, 2, 3] as [UInt64])
    func mutations(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "{", "}", "(", ")", "<", ">", "[", "]", "\"", "\"\"\"", "\\(", "#", "#\"", "/*", "*/", "//", "/", "`", "->",
            ":",
            ",", "@", "func", "protocol Port", "where", "=", "...", "\n", "\\", "é", "\u{0}", "any AsyncSequence<",
            "throws(",
        ]
        var readable = 0
        for _ in 0..<400 {
            var text = Array([Self.crowded, Self.plain].randomElement(using: &random) ?? "")
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text.removeSubrange(place..<min(text.count, place + Int.random(in: 1...30, using: &random)))
                case 1: text = Array(text.prefix(place))
                case 2: text.insert(contentsOf: text.shuffled(using: &random).prefix(5), at: place)
                default: text.insert(contentsOf: pieces.randomElement(using: &random) ?? "", at: place)
                }
            }
            let source = String(text)
            let types = DeclaredTypes(in: [.init(file: "Port.swift", text: source)], access: "public")
            do {
                let port = try PortReader.read("Port", in: source)
                #expect(!port.methods.isEmpty)
                #expect(try PortPlan(port, module: "App", types: types).files.count == 11)
                readable += 1
            } catch {
                #expect(error is UnreadablePort)
                if let error = error as? UnreadablePort { #expect(error.problems.allSatisfy { $0.line >= 1 }) }
            }
        }
        // Some mutations are readable and some are not, so they do reach the reader.
        #expect((10..<390).contains(readable), "\(readable) of 400 with the seed \(seed)")
    }

    @Test("Endless nesting is refused, and does not exhaust the stack")
    func depth() {
        let openers = ["\"\\(", "/*", "(", "<", "{", "[", "#\"\\#("]
        for opener in openers {
            let text = "public protocol Port: Sendable { func a(_ x: " + String(repeating: opener, count: 100_000)
            #expect(throws: UnreadablePort.self) { try PortReader.read("Port", in: text) }
            _ = DeclaredTypes(in: [.init(file: "Port.swift", text: text)], access: "public")
        }
        let types = DeclaredTypes(
            in: [.init(file: "A.swift", text: "public struct A { public init(a: A) {} }")],
            access: "public"
        )
        #expect(types.value("A", .zero) == nil)
        _ = types.value(String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), .number(1))
        _ = types.isHashable("A" + String(repeating: "?", count: 10_000))
    }

    private static let plain = """
        public struct Thing: Hashable, Sendable {
          public var id: String
          public init(id: String) { self.id = id }
        }
        public protocol Port: Sendable {
          func thing(_ id: String) async throws -> Thing
          func place(_ thing: Thing, at index: Int) async throws
          func events() -> any AsyncSequence<Thing, any Error> & Sendable
        }
        """

    private static let crowded = ##"""
        import Foundation
        /* protocol Port { /* nested */ func wrong() } */
        // protocol Port { func wrong() }
        let text = "protocol Port { \("func wrong() \"}\"")"
        let long = """
          protocol Port {
          \"""
          """
        let raw = #"protocol Port { "quoted" \n \#(text) "#
        let regex = /"{/
        let division = text.count / 2 / 3
        let other = #/ " protocol Port { /#
        struct Thing { func protocolPort() { if true { print("}") } } }

        /// What it does.
        @available(macOS 15, *)
        package protocol Port: SendableMetatype,
          Sendable
        {
          func a(_ id: String) async throws -> Int  // as it is { not }
          /* func wrong() async throws */
          func b() async throws
          func c() -> PortEvents<Int>
        }

        extension Port {
          func d(_ x: Int = 1) async throws { try await b() }
          var e: Int { 1 }
        }
        """##
}
