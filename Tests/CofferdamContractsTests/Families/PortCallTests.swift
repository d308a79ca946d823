import CofferdamContracts
import Testing

/// Checks calls without input, as an adopter writes them.
@Suite struct PortCallTests {
    private struct Zoo: Sendable {
        var accessories: @Sendable () async throws -> [String] = { ["scale"] }
        func list() async throws -> [String] { try await accessories() }
    }

    private static let accessories = PortCall<Zoo, Void, [String]>(
        "accessories",
        get: { zoo in { try await zoo.list() } },
        replace: { zoo, perform in
            var zoo = zoo
            zoo.accessories = perform
            return zoo
        }
    )

    @Test func `a call without arguments is made and replaced without one`() async throws {
        #expect(try await Self.accessories(Zoo()) == ["scale"])
        let doubled = Self.accessories.replaced(in: Zoo()) { clean in try await clean() + clean() }
        #expect(try await Self.accessories(doubled) == ["scale", "scale"])
    }

    @Test func `it needs no input as a call with erased types`() async throws {
        let call = AnyPortCall(Self.accessories)
        #expect(try await call(Zoo()) as? [String] == ["scale"])
        let empty = call.decorated(in: Zoo()) { clean in
            _ = try await clean()
            return [String]()
        }
        #expect(try await empty.list().isEmpty)
    }
}
