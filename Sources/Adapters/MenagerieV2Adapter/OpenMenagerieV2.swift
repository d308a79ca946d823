public import SanctuaryDomain  // the six ports

/// Opens the vendor's V2 as Sanctuary's services. Reads the stored session, and asks nothing of the vendor yet.
///
/// Each call opens an instance of its own, which shares nothing with any other but the directory, if that is the same. A
/// stored session that cannot be read is told by `accounts.state()`, until somebody signs in or out.
///
/// - Throws: `CancellationError` in a task that is cancelled.
public func openMenagerieV2(_ configuration: MenagerieV2Configuration) async throws -> SanctuaryServices {
    try Task.checkCancellation()
    let connection = try await Connection.open(configuration)
    return SanctuaryServices(
        backing: "Menagerie V2 at \(configuration.serviceURL)",
        capabilities: .menagerieV2,
        catalogue: V2Catalogue(connection: connection),
        photos: V2Photos(connection: connection),
        accessories: V2Accessories(connection: connection),
        orders: V2Orders(connection: connection),
        messages: V2Messages(connection: connection),
        accounts: V2Accounts(connection: connection),
        close: { await connection.close() }
    )
}
