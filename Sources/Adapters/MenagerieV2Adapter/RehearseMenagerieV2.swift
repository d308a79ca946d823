import Cofferdam
import Foundation
public import SanctuaryDomain  // the six ports

/// Opens the vendor's V2 to be asked beside V1, and compared: on a copy of what the installation keeps, and silent. Nothing of
/// V1's is changed, taken over or deleted, unsent messages are not there to be sent, and the vendor is told of no launch.
///
/// The copy is a directory of its own, which is removed at closing. It holds no session: who is signed in is read from
/// `configuration.directory`, and V2's tokens have their one owner there. Nobody can be signed in or out here.
///
/// - Throws: ``SanctuaryError`` if the copy cannot be made, naming the file; `CancellationError` in a task that is cancelled.
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

/// Who is signed in can be asked, and not be changed.
private struct RehearsedAccounts: Accounts {
    let accounts: V2Accounts

    func state() async throws -> AccountState { try await accounts.state() }

    func signIn(_ credentials: Credentials) async throws -> Account { throw Self.refused }

    func signOut() async throws { throw Self.refused }

    private static var refused: SanctuaryError {
        SanctuaryError(.unsupported, "who rehearses signs nobody in or out")
    }
}
