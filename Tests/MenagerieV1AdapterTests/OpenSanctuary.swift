#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1Adapter
import SanctuaryDomain

/// The adapter on the SDK and the service, which is reset for each test.
struct OpenSanctuary {
    let service: RunningService
    let services: SanctuaryServices
    let issues: IssueLog
    let directory: String

    var control: SandboxControl { service.control }

    func signIn(_ user: String = "amara") async throws {
        _ = try await services.accounts.signIn(Credentials(user: user, password: "sandbox"))
    }

    /// One service for the process.
    private static let shared = Task { try await startService() }

    @discardableResult
    static func with<Result: Sendable>(
        language: String = "en",
        beforeSending: MenagerieV1Configuration.BeforeSending? = nil,
        _ body: (OpenSanctuary) async throws -> Result
    ) async throws -> Result {
        try await menagerieV1Turnstile.run { try await opened(language, beforeSending, body) }
    }

    private static func opened<Result: Sendable>(
        _ language: String,
        _ beforeSending: MenagerieV1Configuration.BeforeSending?,
        _ body: (OpenSanctuary) async throws -> Result
    ) async throws -> Result {
        let service = try await shared.value
        service.control.reset(baseline: .seeded)
        await service.control.waitForHeld(exactly: 0)
        for channel in EventChannel.allCases {
            await service.control.waitForSubscribers(of: channel, exactly: 0)
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let issues = IssueLog()
        var configuration = MenagerieV1Configuration(
            serviceURL: service.url + "/",
            key: "test",
            directory: directory,
            language: language,
            issues: issues.sink
        )
        if let beforeSending { configuration.beforeSending = beforeSending }
        let services = try await openMenagerieV1(configuration)
        let sanctuary = OpenSanctuary(service: service, services: services, issues: issues, directory: directory)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(sanctuary)) } catch { result = .failure(error) }
        await services.close()
        try FileManager.default.removeItem(atPath: directory)
        return try result.get()
    }
}

extension Catalogue {
    /// Returns every animal, page by page.
    func all(limit: Int) async throws -> [Animal] {
        var page = try await animals(AnimalsRequest(PageRequest(limit: limit)))
        var all = page.items
        while let next = page.next {
            page = try await animals(AnimalsRequest(PageRequest(cursor: next, limit: limit)))
            all += page.items
        }
        return all
    }
}
#endif
