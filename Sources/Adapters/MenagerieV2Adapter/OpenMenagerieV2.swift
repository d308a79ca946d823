#if Sandbox
public import SanctuaryDomain  // the six ports

/// Opens the vendor's V2 as Sanctuary's services. This reads the stored session, but makes no request.
///
/// Each call opens a separate instance, which shares only the directory with others, if that is the same. If the stored
/// session cannot be read, `accounts.state()` throws the error until it can be, or a user signs in or out. If the
/// installation's id cannot be read, every call but `accounts.signOut()` throws an error that names the file until it can
/// be.
///
/// - Throws: `CancellationError` in a cancelled task.
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
#endif
