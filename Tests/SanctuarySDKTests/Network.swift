#if Staged
    import Cofferdam
    import Foundation
    import MenagerieService

    /// The way to the service, which can be gone for a while.
    final class Network: Sendable {
        private let configuration: ServiceConfiguration
        private let running: Mutex<RunningService>

        /// - Parameter configuration: how it comes back: at the same port, with what it has kept.
        init(_ service: RunningService, _ configuration: ServiceConfiguration = ServiceConfiguration()) {
            self.configuration = configuration
            running = Mutex(service)
        }

        var service: RunningService { running.withLock { $0 } }

        /// One that can be gone.
        static func unsteady() async throws -> Network {
            let database = FileManager.default.temporaryDirectory.appending(path: "service-\(UUID().uuidString)").path
            while true {
                // The system gives none of these to another process meanwhile.
                let port = Int.random(in: 20_000..<32_000)
                let configuration = ServiceConfiguration(port: port, database: database)
                do {
                    return Network(try await startService(configuration), configuration)
                } catch let error as ServiceError where error.code == .portInUse {}
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
