import MenagerieService
import SanctuaryDomain

/// The vendor's SDK that this build links: which one, a trait of Package.swift says, and nobody else has to know.
public enum LinkedSDK {
    /// Opens the SDK as Sanctuary's services, against the given service or the vendor's sandbox, started for it.
    ///
    /// - Throws: ``SanctuaryError``: `invalidRequest` for an address or directory that cannot be used; `unavailable` if the
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

    /// The app's key at the vendor; its sandbox takes any.
    static let key = "sanctuary"
}
