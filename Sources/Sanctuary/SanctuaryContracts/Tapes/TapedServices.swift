import Cofferdam
public import CofferdamContracts  // tapes are the kit's
public import SanctuaryDomain  // the services on the tape
import SanctuaryOperations

extension TapeRecorder {
    /// Returns the services with every call of their six ports recorded. Closing them closes the given services.
    public func recording(_ services: SanctuaryServices) async throws -> SanctuaryServices {
        func recorded(_ port: String) -> [any PortInterceptor] {
            [interceptor(of: port, errors: SanctuaryErrorRecord.self)]
        }
        return try await port(services, errors: SanctuaryErrorRecord.self).services(
            catalogue: Intercepted(services.catalogue, by: recorded("catalogue")),
            photos: Intercepted(services.photos, by: recorded("photos")),
            accessories: Intercepted(services.accessories, by: recorded("accessories")),
            orders: Intercepted(services.orders, by: recorded("orders")),
            messages: Intercepted(services.messages, by: recorded("messages")),
            accounts: Intercepted(services.accounts, by: recorded("accounts"))
        )
    }
}

extension TapePlayer {
    /// Returns services that answer from the tape: an adapter of the six ports without a vendor.
    public func services() async throws -> SanctuaryServices {
        func replayed<Port>(_ port: String) -> Intercepted<Port> {
            Intercepted(source: source(of: port, errors: SanctuaryErrorRecord.self))
        }
        return try await port(of: SanctuaryServices.self, errors: SanctuaryErrorRecord.self).services(
            catalogue: replayed("catalogue"),
            photos: replayed("photos"),
            accessories: replayed("accessories"),
            orders: replayed("orders"),
            messages: replayed("messages"),
            accounts: replayed("accounts")
        )
    }
}

extension TapeRedaction {
    /// Redacts secrets from tapes of the six ports.
    public static var sanctuary: TapeRedaction { TapeRedaction().field("accounts.signIn.arguments.password") }
}

extension TapedPort<SanctuaryServices> {
    fileprivate func services(
        catalogue: Intercepted<any Catalogue>,
        photos: Intercepted<any Photos>,
        accessories: Intercepted<any Accessories>,
        orders: Intercepted<any Orders>,
        messages: Intercepted<any Messages>,
        accounts: Intercepted<any Accounts>
    ) async throws -> SanctuaryServices {
        let record = try await call("services", kind: .read, as: ServicesRecord.self) { .init($0) }
        return SanctuaryServices(
            backing: record.backing,
            capabilities: Set(record.capabilities),
            catalogue: catalogue,
            photos: photos,
            accessories: accessories,
            orders: orders,
            messages: messages,
            accounts: accounts,
            close: {
                // If the tape has no such call, the player reports the error when it ends.
                try? await call("close") { await $0.close() }
            }
        )
    }
}

/// The services' description of themselves.
private struct ServicesRecord: TapeRecord {
    struct Value: Sendable {
        var backing: String
        var capabilities: [Capability]

        init(_ services: SanctuaryServices) {
            backing = services.backing
            capabilities = services.capabilities.sorted { $0.rawValue < $1.rawValue }
        }

        init(_ record: ServicesRecord) {
            backing = record.backing
            capabilities = record.capabilities.map { Capability(rawValue: $0) }
        }
    }

    var backing: String
    var capabilities: [String]

    init(_ value: Value) {
        backing = value.backing
        capabilities = value.capabilities.map(\.rawValue)
    }

    var value: Value { Value(self) }
}
