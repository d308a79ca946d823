import Cofferdam
import Testing

@testable import CofferdamTool

@Suite("What new-port makes of a protocol's methods")
struct PortPlanTests {
    @Test(
        "A family is used where the types are known; otherwise the port gets a rule of its own, with the reason",
        arguments: [
            ("func a(_ id: String) async throws -> Thing", "get", nil),
            ("func a(_ id: ThingID) async throws -> Thing", "get", nil),
            ("func a(_ id: String) async throws -> String", "get", nil),
            ("func a(_ id: String) async throws -> Thing?", "own", "it does not read one thing by its id"),
            ("func a(_ id: String) async throws -> [Thing]", "own", "it does not read one thing by its id"),
            ("func a(_ id: String) async throws -> Elsewhere", "own", "'Elsewhere' is not known to be Hashable"),
            ("func a(_ id: String) async throws -> Loose", "own", "'Loose' is not known to be Hashable"),
            (
                "func a(_ id: String) async throws -> Closed", "own",
                "no initialiser of 'Closed' was found that another target can call with plain values"
            ),
            (
                "func a(_ id: String, _ b: Int) async throws -> Thing", "own",
                "it reads neither one thing by its id nor a page"
            ),
            ("func a() async throws -> Thing", "own", "it reads neither one thing by its id nor a page"),
            ("func a(after c: String?, limit: Int) async throws -> Page", "list", nil),
            ("func a(limit: Int, after c: String?) async throws -> Page", "list", nil),
            (
                "func a(after c: String?, limit: Int) async throws -> Shut", "own",
                "it takes a cursor and a limit, but 'Shut' has no initialiser for other targets that takes its items and "
                    + "its next cursor"
            ),
            (
                "func a(after c: String?, limit: Int) async throws -> Blind", "own",
                "it takes a cursor and a limit, but other targets cannot see 'next' of 'Blind'"
            ),
            (
                "func a(after c: String?, limit: Int) async throws -> Elsewhere", "own",
                "it takes a cursor and a limit, but 'Elsewhere' is not a type of the port's target"
            ),
            (
                "func a(after c: String?, limit: Int) async throws -> Loosely", "own",
                "it takes a cursor and a limit, but 'Loose' is not known to be Hashable"
            ),
            (
                "func a(after c: String, limit: Int) async throws -> Page", "own",
                "it reads neither one thing by its id nor a page"
            ),
            ("func a(_ id: Order.ID) async throws -> Order", "get", nil),
            ("func a(_ id: Order.ID) async throws -> Order.Line", "get", nil),
            ("func a(_ request: PageRequest) async throws -> Paged<Thing>", "list", nil),
            ("func a(matching request: Search) async throws -> Paged<Order>", "list", nil),
            ("func a(of id: Order.ID, after: Token?, limit: Int) async throws -> Paged<Order.Line>", "list", nil),
            (
                "func a(_ request: PageRequest) async throws -> Page", "own",
                "it takes a cursor and a limit, but 'Page' has no initialiser for other targets that takes its items and "
                    + "its next cursor"
            ),
            (
                "func a(of x: Elsewhere, after: Token?, limit: Int) async throws -> Paged<Thing>", "own",
                "it takes a cursor and a limit, but no value of 'Elsewhere' could be made for it"
            ),
            (
                "func a(after: Sealed?, limit: Int) async throws -> SealedPage", "own",
                "it takes a cursor and a limit, but no initialiser of 'Sealed' was found that takes the text of one of "
                    + "its properties"
            ),
            ("func a(_ id: Int) async throws -> Entry", "get", nil),
            ("func a() -> PortEvents<Order.Line>", "stream", nil),
            ("func a() async throws", "own", "it returns nothing"),
            ("func a() -> PortEvents<Thing>", "stream", nil),
            ("func a() -> PortEvents<Kind>", "stream", nil),
            ("func a() -> PortEvents<Payload>", "own", "'Payload' is not known to be Hashable"),
            ("func a(_ id: String) -> PortEvents<Thing>", "stream", nil),
            (
                "func a(_ id: Elsewhere) -> PortEvents<Thing>", "own",
                "no value of 'Elsewhere' could be made to subscribe with"
            ),
        ] as [(String, String, String?)]
    )
    func shapes(source: String, shape: String, remark: String?) throws {
        let operation = try #require(
            try Self.plan(source, source.contains("->") ? [("a", .read)] : []).operations.first
        )
        let found =
            switch operation.shape {
            case .get: "get"
            case .list: "list"
            case .stream: "stream"
            case .own: "own"
            }
        #expect(found == shape)
        #expect(operation.remark == remark)
    }

    @Test("A method is a write unless its name or an option says that it reads; the table says what was assumed")
    func effects() throws {
        let source = """
            func fetch() async throws -> Int
            func b() async throws
            func c() async throws -> Int
            func d() async throws -> Int
            """
        let plan = try Self.plan(source, [("b", .idempotent), ("c", .read)])
        #expect(plan.operations.map(\.effect) == [.read, .idempotent, .read, .write])
        #expect(plan.operations.map { $0.assumption != nil } == [true, false, false, true])
        let table = try #require(plan.files.first).text
        #expect(table.contains("because of its name.\n  public static let fetch ="))
        #expect(table.contains("because its name does not say that it only reads.\n  public static let d ="))
        #expect(table.contains("(\"c\", .read)"))
        #expect(throws: NewPortError.self) { try Self.plan(source, [("e", .read)]) }
        #expect(throws: NewPortError.self) { try Self.plan(source, [("d", .read), ("d", .write)]) }
        #expect(try Self.plan(source, [("d", .read), ("d", .read)]).operations.last?.assumption == nil)
    }

    @Test("A file that cannot be read is named, and the others are read all the same")
    func unread() {
        let types = DeclaredTypes(
            in: [.init(file: "Odd.swift", text: "\n/* open"), .init(file: "App.swift", text: Self.types)],
            access: "public"
        )
        #expect(types.unread == ["Odd.swift:2: a comment does not end"])
        #expect(types["Thing"] != nil)
    }

    @Test("Every call except streams, including writes, gets the rules for cancellation, errors and time")
    func calls() throws {
        let source = """
            func a(_ id: String) async throws -> Thing
            func b(_ id: String, to kind: Elsewhere) async throws
            func c() -> PortEvents<Thing>
            """
        let files = try Self.plan(source, [("a", .read)]).files
        func text(_ name: String) throws -> String {
            try #require(files.first { $0.path.hasSuffix(name) }).text
        }
        let rules = try text("PortRules.swift")
        #expect(rules.contains("PortWiredCall(PortOperations.a) { PortFixtures.a[0].input },"))
        #expect(rules.contains("PortWiredCall(PortOperations.b) { (\"text 1\", try PortFixtures.bKind()) },"))
        #expect(!rules.contains("PortWiredCall(PortOperations.c)"))
        for family in ["cancellation", "errors", "time"] {
            #expect(rules.contains("PortAllCalls.\(family).rules") && rules.contains("PortAllCalls.\(family).mutants"))
        }
        #expect(try text("PortSubject.swift").contains("func inject(_ fault: VendorFault, on operation: String"))
        let streams = try Self.plan("func c() -> PortEvents<Thing>").files
        #expect(streams.allSatisfy { !$0.text.contains("Calls") && !$0.text.contains("inject(_ fault") })
    }

    @Test(
        "A value is made with an initialiser that other targets can call",
        arguments: [
            ("Thing", .zero, "Thing(id: ThingID(\"\"), count: 0, notes: [], kind: Kind.small)"),
            ("Thing", .number(2), "Thing(id: ThingID(\"text 2\"), count: 2, notes: [\"text 2\"], kind: Kind.large)"),
            ("Thing?", .zero, "nil"),
            ("[Thing]", .zero, "[]"),
            ("Optional<Int>", .number(1), "1"),
            ("Double", .index, "Double(number)"),
            ("String", .index, #""text \(1000 + number)""#),
            ("Order", .zero, "Order(id: Order.ID(raw: \"\"), lines: [], price: Price.none)"),
            ("Order.Line", .number(2), "Order.Line(of: Order.ID(raw: \"text 2\"), count: 2)"),
            ("Paged<Thing>", .zero, "Paged<Thing>(items: [], next: nil)"),
            ("Entry", .number(2), "Entry(at: Date(timeIntervalSince1970: 2), bytes: [2])"),
            ("Closed", .zero, nil), ("Loose", .zero, "Loose()"), ("Elsewhere", .zero, nil), ("Payload", .zero, nil),
        ] as [(String, DeclaredTypes.Sample, String?)]
    )
    func values(type: String, sample: DeclaredTypes.Sample, text: String?) {
        #expect(
            DeclaredTypes(in: [.init(file: "App.swift", text: Self.types)], access: "public").value(type, sample)
                == text
        )
    }

    private static func plan(_ source: String, _ effects: [(name: String, effect: Effect)] = []) throws -> PortPlan {
        let text = "public protocol Port: Sendable {\n\(source)\n}"
        return try PortPlan(
            PortReader.read("Port", in: text),
            module: "App",
            types: DeclaredTypes(in: [.init(file: "App.swift", text: types)], access: "public"),
            effects: effects
        )
    }

    private static let types = """
        public struct ThingID: Hashable, Sendable {
          public let rawValue: String
          public init(_ rawValue: String) { self.rawValue = rawValue }
        }
        public struct Thing: Sendable {
          public var id: ThingID
          public init(id: ThingID, count: Int, notes: [String], kind: Kind, extra: Bool = false) { self.id = id }
          init(secret: Int) {}
        }
        extension Thing: Hashable {}
        public enum Kind: Sendable { case small, large }
        public enum Payload: Sendable { case some(Int) }
        public struct Closed: Hashable, Sendable { var x: Int }
        public struct Loose: Sendable { public init() {} }
        public struct Shut: Sendable {
          public var items: [Thing]
          public var next: String?
        }
        public struct Blind: Sendable {
          public var items: [Thing]
          var next: String?
          public init(items: [Thing], next: String?) { (self.items, self.next) = (items, next) }
        }
        public struct Loosely: Sendable {
          public var items: [Loose]
          public var next: String?
          public init(items: [Loose], next: String?) { (self.items, self.next) = (items, next) }
        }
        public struct Order: Sendable {
          public struct ID: Hashable, Sendable {
            public let raw: String
            public init(raw: String) { self.raw = raw }
          }
          public let id: ID
          public var lines: [Line]
          public init(id: ID, lines: [Line], price: Price) { (self.id, self.lines) = (id, lines) }
        }
        extension Order: Hashable {}
        extension Order {
          public struct Line: Hashable, Sendable {
            public init(of order: ID, count: Int) {}
          }
        }
        public struct Price: Hashable, Sendable {
          public static let none = Price()
          init() {}
        }
        public struct Token: Hashable, Sendable {
          public let text: String
          public init(_ text: String) { self.text = text }
        }
        public struct Sealed: Hashable, Sendable {}
        public struct SealedPage: Sendable {
          public var items: [Thing]
          public var next: Sealed?
          public init(items: [Thing], next: Sealed?) { (self.items, self.next) = (items, next) }
        }
        public struct PageRequest: Sendable, Hashable {
          public var cursor: Token?
          public var limit: Int
          public init(cursor: Token? = nil, limit: Int = 50) { (self.cursor, self.limit) = (cursor, limit) }
        }
        public struct Search: Sendable, Hashable {
          public var words: String
          public var page: PageRequest
          public init(words: String, page: PageRequest = PageRequest(), kind: Kind? = nil) {
            (self.words, self.page) = (words, page)
          }
        }
        public struct Paged<Item: Sendable>: Sendable {
          public var items: [Item]
          public var next: Token?
          public init(items: [Item], next: Token?) { (self.items, self.next) = (items, next) }
        }
        public struct Entry: Sendable, Hashable {
          public init(at: Date, bytes: [UInt8]) {}
        }
        public struct Page: Sendable {
          public var items: [Thing]
          public private(set) var next: String?
          public init(items: [Thing], next: String?) { (self.items, self.next) = (items, next) }
        }
        """
}
