#if Sandbox
import Foundation
import HTTPTypes

/// Runs one search for accessories at a time, shared by all callers.
final class JoinedScan {
    private let lock = NSLock()
    private var running: Task<AccessoriesJSON, any Error>?

    func run(_ transport: Transport) async throws(NSError) -> AccessoriesJSON {
        let scan = join(transport)
        do {
            return try await scan.value
        } catch {
            throw error as NSError
        }
    }

    private func join(_ transport: Transport) -> Task<AccessoriesJSON, any Error> {
        lock.withLock {
            if let running { return running }
            let scan = Task<AccessoriesJSON, any Error> {
                defer { lock.withLock { running = nil } }
                return try await transport.json(.get, "/v1/accessories")
            }
            running = scan
            return scan
        }
    }
}
#endif
