#if Staged
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import SanctuarySDK
import TestSupport

/// An app of the staged build on one device: its state directory and its service.
struct StagedApp: Sendable {
    let directory: String
    let network: Network
    let issues = Issues()

    var service: RunningService { network.service }
    var control: SandboxControl { service.control }

    static func with(_ network: Network? = nil, _ body: (StagedApp) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "staged-\(UUID().uuidString)").path
        let network = if let network { network } else { Network(try await startService()) }
        let app = StagedApp(directory: directory, network: network)
        let result: Result<Void, any Error>
        do { result = .success(try await body(app)) } catch { result = .failure(error) }
        await app.network.end()
        // Does not exist if nothing was stored.
        removeFolder(directory)
        try result.get()
    }

    /// One launch of the app.
    func run<Value: Sendable>(
        _ stage: String? = nil,
        upgrade: String? = nil,
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        let sdk = try await LinkedSDK.open(
            SDKConfiguration(
                service: service.url,
                stateDirectory: directory,
                language: "en",
                issues: IssueSink { [issues] found, operation in issues.add(found, of: operation) },
                environment: ["COFFERDAM_STAGE": stage, "COFFERDAM_UPGRADE_STATE": upgrade].compactMapValues { $0 }
            )
        )
        let result: Result<Value, any Error>
        do { result = .success(try await body(sdk.services)) } catch { result = .failure(error) }
        await sdk.close()
        return try result.get()
    }

    func calls(_ operation: MenagerieService.Operation, by major: Major) -> Int {
        control.calls(of: operation, via: major)
    }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: directory + "/" + file) }

    /// Returns V1's files in the directory.
    func filesOfV1() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasPrefix("menagerie.") {
            // Folders hold pictures, which are fetched again.
            if let content = FileManager.default.contents(atPath: directory + "/" + name) { files[name] = content }
        }
        return files
    }
}

/// The reported issues, each preceded by the operation.
final class Issues: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ found: [TranslationIssue], of operation: String) {
        lines.withLock { $0 += found.map { "\(operation): \($0.path): \($0.what)" } }
    }
}

extension OrderDraft {
    static func hay(key: String, currency: Currency = .eur) -> OrderDraft {
        let price = Money(minorUnits: 450, currency: currency)
        return OrderDraft(lines: [OrderLine(article: "hay", quantity: 1, unitPrice: price)], key: key)
    }
}

extension SanctuaryServices {
    @discardableResult
    func signIn(_ user: String = "amara", password: String = "sandbox") async throws -> Account {
        try await accounts.signIn(Credentials(user: user, password: password))
    }

    var user: String? {
        get async throws {
            if case .signedIn(let account) = try await accounts.state() { account.id } else { nil }
        }
    }

    func firstOrders() async throws -> [OrderID] { try await orders.orders(PageRequest()).items.map(\.id) }
}
#endif
