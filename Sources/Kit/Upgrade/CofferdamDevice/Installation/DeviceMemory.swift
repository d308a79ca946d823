import Cofferdam
import CofferdamUpgrade
import Foundation

/// Remembers the last known state of each upgrade of one installation, in one file: without a network, the next launch begins
/// where this one was.
final class DeviceMemory: UpgradeMemory {
    private struct Content: Codable {
        /// The address of the server: what another one said is not remembered.
        var server: String
        var upgrades: [String: RememberedUpgrade] = [:]
    }

    private let file: DurableFile
    private let content: Mutex<Content>
    /// One write at a time.
    private let writes = AsyncMutex()

    /// - Throws: ``UpgradeStoreError`` if the file cannot be read.
    init(_ path: String, of server: String) throws {
        file = DurableFile(path: path)
        var content = Content(server: server)
        if let data = try file.read() {
            do {
                let found = try JSONDecoder.ofUpgrades.decode(Content.self, from: data)
                if found.server == server { content = found }
            } catch {
                throw UpgradeStoreError(.unreadable, "the file holds no upgrades", subject: path, cause: error)
            }
        }
        self.content = Mutex(content)
    }

    func remembered(of capability: String) async throws -> RememberedUpgrade? {
        content.withLock { $0.upgrades[capability] }
    }

    func remember(_ upgrade: RememberedUpgrade) async throws {
        content.withLock { $0.upgrades[upgrade.state.capability] = upgrade }
        let encoder = JSONEncoder.ofUpgrades(isForPeople: false)
        try await writes.run { try file.write(try encoder.encode(content.withLock { $0 })) }
    }

    /// An app's user sets none.
    func localKill(of capability: String) async throws -> KillSwitch? { nil }
}
