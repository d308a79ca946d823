#if Sandbox
import Cofferdam
import MenagerieService
import SanctuaryDomain
import SanctuaryHarness

/// Returns the catalogue of a new service as the newer SDK shows it, one line for each animal.
func seededCatalogue() async throws -> String {
    let service = try await startService()
    let text: String
    do {
        text = try await catalogue(of: service.url)
    } catch {
        await service.stop()
        throw error
    }
    await service.stop()
    return text
}

private func catalogue(of url: String) async throws -> String {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let services = try await openV2(at: url, directory: directory.path, issues: IssueSink { _, _ in })
    do {
        let lines = try await services.wholeCatalogue().map { "\($0)\n" }
        await services.close()
        return lines.joined()
    } catch {
        await services.close()
        throw error
    }
}
#endif
