#if Sandbox
import Cofferdam
import Foundation
public import SanctuaryDomain  // the six ports

/// Opens the vendor's V2 as a shadow, to be called beside V1 and compared: on a copy of the installation's state, and
/// without side effects. V1's state is not changed, taken over or deleted, there are no unsent messages to send, and no
/// launch is reported to the vendor.
///
/// The copy is a separate directory, which is removed at closing. It holds no session: the signed-in user is read from
/// `configuration.directory`, where V2's tokens have their single owner. This instance cannot sign users in or out.
///
/// - Throws: a ``SanctuaryError`` that names the file, if the copy cannot be made; `CancellationError` in a cancelled
///   task.
public func rehearseMenagerieV2(_ configuration: MenagerieV2Configuration) async throws -> SanctuaryServices {
    try Task.checkCancellation()
    let copy = try InstallationCopy(of: configuration.directory)
    let connection: Connection
    do {
        connection = try await Connection.open(configuration, rehearsingIn: copy.directory)
    } catch {
        copy.remove()
        throw error
    }
    return SanctuaryServices(
        backing: "Menagerie V2 at \(configuration.serviceURL), rehearsing",
        capabilities: .menagerieV2,
        catalogue: V2Catalogue(connection: connection),
        photos: V2Photos(connection: connection),
        accessories: V2Accessories(connection: connection),
        orders: V2Orders(connection: connection),
        messages: V2Messages(connection: connection),
        accounts: RehearsedAccounts(accounts: V2Accounts(connection: connection)),
        close: {
            await connection.close()
            copy.remove()
        }
    )
}

/// Accounts of a shadow: the signed-in user can be read, but not changed.
private struct RehearsedAccounts: Accounts {
    let accounts: V2Accounts

    func state() async throws -> AccountState { try await accounts.state() }

    func signIn(_ credentials: Credentials) async throws -> Account { throw Self.refused }

    func signOut() async throws { throw Self.refused }

    private static var refused: SanctuaryError {
        SanctuaryError(.unsupported, "the shadow does not sign users in or out")
    }
}
#endif
