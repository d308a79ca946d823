#if Staged
import Cofferdam
import Foundation
import MenagerieService
import Testing

/// The network to the service, which can fail temporarily.
final class Network: Sendable {
    private let configuration: ServiceConfiguration
    private let running: Mutex<RunningService>

    /// - Parameter configuration: the configuration with which the service returns: the same port and state.
    init(_ service: RunningService, _ configuration: ServiceConfiguration = ServiceConfiguration()) {
        self.configuration = configuration
        running = Mutex(service)
    }

    var service: RunningService { running.withLock { $0 } }

    /// A network whose service can disappear and return.
    static func unsteady() async throws -> Network {
        let database = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID().uuidString)").path
        while true {
            // The system does not assign ports of this range to other processes.
            let port = Int.random(in: 20_000..<32_000)
            let configuration = ServiceConfiguration(port: port, database: database)
            do {
                return Network(try await startService(configuration), configuration)
            } catch let error as ServiceError where error.code == .portInUse {}
        }
    }

    /// Stops the service for good, and removes its state.
    func end() async {
        await service.stop()
        guard let database = configuration.database else { return }
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: database + suffix) {
            do { try FileManager.default.removeItem(atPath: database + suffix) } catch { Issue.record(error) }
        }
    }

    /// Runs `body` while no server listens at the service's port.
    func offline<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await service.stop()
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        let service = try await startService(configuration)
        running.withLock { $0 = service }
        return try result.get()
    }
}
#endif
