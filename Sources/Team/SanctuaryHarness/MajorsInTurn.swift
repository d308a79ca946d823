#if Sandbox
public import Cofferdam  // the sink for issues
import MenagerieService
import MenagerieV1Adapter
public import SanctuaryDomain  // the services it opens

/// A major of the vendor's SDK.
public enum Major: String, Sendable, CaseIterable {
    case v1, v2
}

/// Opens the vendor's majors one after the other, with one service and one state directory, as an upgrade and a
/// rollback do on a device.
public struct MajorsInTurn: Sendable {
    private let service: RunningService
    private let directory: TemporaryDirectory

    /// Starts the service, and stops it after `body`.
    public static func with<Result>(_ body: (MajorsInTurn) async throws -> Result) async throws -> Result {
        let turn = MajorsInTurn(service: try await startService(), directory: try TemporaryDirectory())
        do {
            let result = try await body(turn)
            await turn.end()
            return result
        } catch {
            await turn.end()
            throw error
        }
    }

    /// Opens a major and closes it after `body`.
    public func open<Result: Sendable>(
        _ major: Major,
        issues: IssueSink = IssueSink { _, _ in },
        _ body: (SanctuaryServices) async throws -> Result
    ) async throws -> Result {
        switch major {
        case .v1:
            try await menagerieV1Turnstile.run {
                try await use(openV1(at: service.url, directory: directory.path, issues: issues), body)
            }
        case .v2: try await use(openV2(at: service.url, directory: directory.path, issues: issues), body)
        }
    }

    private func use<Result: Sendable>(
        _ services: SanctuaryServices,
        _ body: (SanctuaryServices) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(services)
            await services.close()
            return result
        } catch {
            await services.close()
            throw error
        }
    }

    private func end() async {
        await service.stop()
        directory.remove()
    }
}
#endif
