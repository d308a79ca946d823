import Cofferdam
import Testing

@testable import CofferdamTool

@Suite("What new-port assumes about a method's effect")
struct AssumedEffectTests {
    @Test(
        "Only a name that says so makes a read",
        arguments: [
            "func getOrder(_ id: String) async throws -> Order", "func list() async throws -> [Order]",
            "func findOrders(by name: String) async throws -> [Order]", "func fetch() async throws -> Order?",
            "func loadProfile() async throws -> Profile", "func search(_ text: String) async throws -> [Order]",
            "func orders(_ request: PageRequest) async throws -> Page<Order>",
            "func orders() async throws -> [Order]", "func accessories() async throws -> [Accessory]",
            "func keys(after cursor: String?, limit: Int) async throws -> KeyPage",
            "func order(_ id: OrderID) async throws -> Order", "func order(_ id: Order.ID) async throws -> Order?",
            "func order(id: String) async throws -> Order", "func animal(_ id: AnimalID) async throws -> Animal",
            "func statement(of account: String) async throws -> Statement",
            "func balance(of account: AccountID) async throws -> Double",
            "func photo(of id: AnimalID, progress: @escaping @Sendable (Int) -> Void) async throws -> Photo",
            "func isSignedIn() async throws -> Bool", "func currentUser() async throws -> User",
            "func numberOfOrders() async throws -> Int",
        ]
    )
    func reads(source: String) throws { #expect(try Self.effect(of: source) == .read) }

    @Test(
        "Everything else is a write, also where the name is a noun as well",
        arguments: [
            "func place(_ draft: OrderDraft) async throws -> Order",
            "func send(_ draft: Draft) async throws -> Message",
            "func signIn(_ credentials: Credentials) async throws -> Account", "func save() async throws -> Order",
            "func order(_ item: Item) async throws -> Order", "func order(_ id: ProductID) async throws -> Order",
            "func refund(of order: OrderID) async throws -> Refund",
            "func upload(_ data: [UInt8]) async throws -> Upload",
            "func message(_ text: String) async throws -> Message", "func token() async throws -> Token",
            "func cancelOrders(_ ids: [OrderID]) async throws -> [Order]", "func scan() async throws -> [Accessory]",
            "func importPage(_ page: Int) async throws -> OrderPage",
            "func transfer(_ amount: Int) async throws -> Transfer",
            "func session() async throws -> Session", "func celsius(in city: String) async throws -> Double",
            "func process(_ order: Order) async throws -> Order", "func reset() async throws",
        ]
    )
    func writes(source: String) throws { #expect(try Self.effect(of: source) == .write) }

    private static func effect(of source: String) throws -> Effect {
        let port = try PortReader.read("Port", in: "public protocol Port: Sendable {\n\(source)\n}")
        return AssumedEffect(try #require(port.methods.first)).effect
    }
}
