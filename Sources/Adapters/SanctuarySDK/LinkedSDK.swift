#if Sandbox
import MenagerieService
import SanctuaryDomain

/// The vendor's SDK that this build links. A trait of Package.swift selects it; no other code has to know.
public enum LinkedSDK {
    /// Opens the SDK as Sanctuary's services, with the given service or the vendor's sandbox, which is started for it.
    ///
    /// - Throws: a ``SanctuaryError``: `invalidRequest` for an invalid address or directory; `unavailable` if the
    ///   sandbox does not start.
    public static func open(_ configuration: SDKConfiguration) async throws -> OpenSDK {
        if let url = configuration.service {
            return OpenSDK(services: try await services(at: url, configuration)) {}
        }
        let sandbox = try await startSandbox()
        do {
            return OpenSDK(services: try await services(at: sandbox.url, configuration)) { await sandbox.stop() }
        } catch {
            await sandbox.stop()
            throw error
        }
    }

    private static func startSandbox() async throws -> RunningService {
        do {
            return try await startService()
        } catch let error as ServiceError {
            throw SanctuaryError(.unavailable, "the vendor's sandbox does not start: \(error)")
        }
    }

    /// The app's API key; the sandbox accepts any.
    static let key = "sanctuary"
}
#endif
