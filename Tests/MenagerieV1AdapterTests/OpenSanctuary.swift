import Foundation
import MenagerieService
import MenagerieV1Adapter
import SanctuaryDomain

/// The adapter over the SDK over a service of its own, for one test.
struct OpenSanctuary {
    let service: RunningService
    let services: SanctuaryServices
    let issues: IssueLog
    let directory: String

    var control: SandboxControl { service.control }

    func signIn(_ user: String = "amara") async throws {
        _ = try await services.accounts.signIn(Credentials(user: user, password: "sandbox"))
    }

    @discardableResult
    static func with<Result>(
        language: String = "en",
        deadline: Duration = .seconds(30),
        _ body: (OpenSanctuary) async throws -> Result
    ) async throws -> Result {
        let service = try await startService()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let issues = IssueLog()
        var configuration = MenagerieV1Configuration(
            serviceURL: service.url + "/",
            key: "test",
            directory: directory,
            language: language,
            issues: issues.sink
        )
        configuration.deadline = deadline
        let services = try await openMenagerieV1(configuration)
        let sanctuary = OpenSanctuary(service: service, services: services, issues: issues, directory: directory)
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(sanctuary)) } catch { result = .failure(error) }
        await services.close()
        await service.stop()
        try FileManager.default.removeItem(atPath: directory)
        return try result.get()
    }
}

extension Catalogue {
    /// Every animal, page by page.
    func all(limit: Int) async throws -> [Animal] {
        var page = try await animals(PageRequest(limit: limit))
        var all = page.items
        while let next = page.next {
            page = try await animals(PageRequest(cursor: next, limit: limit))
            all += page.items
        }
        return all
    }
}
