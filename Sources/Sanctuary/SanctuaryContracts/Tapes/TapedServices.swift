public import CofferdamContracts  // tapes are the kit's
public import SanctuaryDomain  // what is taped

extension TapeRecorder {
    /// The services, with every call of their six ports recorded. Closing them closes the ones that are given.
    public func recording(_ services: SanctuaryServices) async throws -> SanctuaryServices {
        try await port(services, errors: SanctuaryErrorRecord.self).services()
    }
}

extension TapePlayer {
    /// Services that answer from the tape: an adapter of the six ports with nobody behind it.
    public func services() async throws -> SanctuaryServices {
        try await port(of: SanctuaryServices.self, errors: SanctuaryErrorRecord.self).services()
    }
}

extension TapeRedaction {
    /// What must never stand on a tape of the six ports.
    public static var sanctuary: TapeRedaction { TapeRedaction().field("accounts.signIn.arguments.password") }
}

extension TapedPort<SanctuaryServices> {
    fileprivate func services() async throws -> SanctuaryServices {
        let record = try await call("services", kind: .read, as: ServicesRecord.self) { .init($0) }
        return SanctuaryServices(
            backing: record.backing,
            capabilities: Set(record.capabilities),
            catalogue: TapedCatalogue(port: self),
            photos: TapedPhotos(port: self),
            accessories: TapedAccessories(port: self),
            orders: TapedOrders(port: self),
            messages: TapedMessages(port: self),
            accounts: TapedAccounts(port: self),
            close: {
                // A player keeps the error, if there was no such call, for its end.
                try? await call("close") { await $0.close() }
            }
        )
    }
}

/// What services say of themselves.
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
