#if Sandbox
package import Cofferdam  // the mutex is for tests and the harness
import Dispatch
import Foundation
import MenagerieV1
public import SanctuaryDomain  // the domain's services

/// Opens the vendor's V1 SDK as Sanctuary's services. The stored session is loaded on return, so the account's state is
/// never `unknown`; if it cannot be read, `accounts.state()` throws the error until a user signs in or out.
///
/// The SDK is a singleton: it can be open once at a time in a process.
///
/// - Throws: `conflict` if it is already open; `invalidRequest` for an invalid address, key or directory.
public func openMenagerieV1(_ configuration: MenagerieV1Configuration) async throws -> SanctuaryServices {
    try Task.checkCancellation()
    try check(configuration)
    let wasOpen = isOpen.withLock { isOpen in
        defer { isOpen = true }
        return isOpen
    }
    guard !wasOpen else {
        throw SanctuaryError(.conflict, "the vendor's V1 SDK is open already, and there is only one in a process")
    }
    let sdk = Menagerie.shared
    sdk.callbackQueue = DispatchQueue(label: "MenagerieV1Adapter.callbacks")
    sdk.language = configuration.language
    let successor = SuccessorState(directory: configuration.directory, answers: configuration.isSucceeded)
    do throws(SanctuaryError) {
        try successor.handBackSession()
    } catch {
        let what = "V2's state stays where it is: \(error.message)"
        let issue = TranslationIssue(what, at: error.subject ?? "", raw: "", severity: .warning)
        configuration.issues.report([issue], of: "open")
    }
    let unsent = UnsentMessages(configuration)
    // If this is cancelled, the first message sent does it.
    do { try await unsent.prepare()() } catch {}
    sdk.start(key: configuration.key, baseURL: trimmed(configuration.serviceURL), directory: configuration.directory)
    let vendor = Vendor(configuration)
    vendor.lifetime.storedSessionFailure = sdk.sessionError.map { failure in
        SanctuaryError(
            .unknown,
            "the stored session: \(failure.localizedDescription)",
            subject: configuration.directory
        )
    }
    return SanctuaryServices(
        backing: "Menagerie V1",
        capabilities: .menagerieV1,
        catalogue: V1Catalogue(vendor: vendor, language: configuration.language),
        photos: V1Photos(vendor: vendor),
        accessories: V1Accessories(vendor: vendor),
        orders: V1Orders(vendor: vendor, journal: OrderJournal(directory: configuration.directory)),
        messages: V1Messages(vendor: vendor, now: configuration.now, unsent: unsent),
        accounts: V1Accounts(vendor: vendor, successor: successor),
        close: {
            guard vendor.lifetime.close() else { return }
            await withCheckedContinuation { continuation in
                Menagerie.shared.stop { @Sendable in continuation.resume() }
            }
            isOpen.withLock { $0 = false }
        }
    )
}

private let isOpen = Mutex(false)

/// Serialises access to the SDK's single instance for the package's tests and harness, which open it one after the
/// other. An app opens it once and does not need this.
package let menagerieV1Turnstile = AsyncMutex()

/// Makes the vendor's next call fail with the named defect, if it has it, for tests of the adapter; nil clears it.
package func provokeMenagerieV1(_ defect: String?) {
    Menagerie.shared.provoke(defect.flatMap(Menagerie.CompletionDefect.init))
}

private func check(_ configuration: MenagerieV1Configuration) throws(SanctuaryError) {
    let url = URL(string: configuration.serviceURL)
    guard let url, ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
        throw SanctuaryError(
            .invalidRequest,
            "the service's address is not an http or https URL",
            subject: configuration.serviceURL
        )
    }
    guard !configuration.key.isEmpty else { throw SanctuaryError(.invalidRequest, "the key is empty", subject: "key") }
    do {
        try FileManager.default.createDirectory(
            atPath: configuration.directory,
            withIntermediateDirectories: true
        )
    } catch {
        throw SanctuaryError(
            .invalidRequest,
            "the state directory cannot be created: \(error.localizedDescription)",
            subject: configuration.directory
        )
    }
}

private func trimmed(_ url: String) -> String {
    String(url.reversed().drop { $0 == "/" }.reversed())
}
#endif
