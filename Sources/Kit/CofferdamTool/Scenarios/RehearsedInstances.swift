import Cofferdam
import CofferdamUpgrade

/// What a walk has open: each instance once, with the scenario's faults before it.
struct RehearsedInstances<Services: Sendable>: Sendable {
    private let instances: [RehearsedInstance: Loadable<Services>]
    private let injectors: [RehearsedInstance: FaultInjector]
    private let upgrade: RehearsedUpgrade<Services>

    init(
        _ upgrade: RehearsedUpgrade<Services>,
        injector: (RehearsedInstance) -> FaultInjector
    ) {
        self.upgrade = upgrade
        let injectors = RehearsedInstance.allCases.map { ($0, injector($0)) }
        self.injectors = Dictionary(uniqueKeysWithValues: injectors)
        instances = Dictionary(
            uniqueKeysWithValues: injectors.map { instance, injector in
                let loadable = Loadable<Services> {
                    let services = try await upgrade.open(instance)
                    await Self.warm(services, upgrade)
                    return upgrade.faulty(services, injector)
                }
                return (instance, loadable)
            }
        )
    }

    /// An instance's streams, as far as its ports are decorated.
    func streams(of instance: RehearsedInstance) -> InjectedStreams? { injectors[instance]?.streams }

    func services(of instance: RehearsedInstance) async throws -> Services {
        guard let loadable = instances[instance] else { throw CancellationError() }
        return try await loadable.fetchIfNeeded()
    }

    /// Opens what a stage needs before anybody waits for it: of some hundred calls the first ones are many.
    func open(for stage: Stage) async throws {
        let needed: [RehearsedInstance] =
            switch stage {
            case .legacyOnly: [.legacy]
            case .shadow: [.legacy, .rehearsing]
            case .canary: [.legacy, .rehearsing, .candidate]
            case .candidateWithFallback, .candidateShadowed: [.legacy, .candidate]
            case .candidateOnly: [.candidate]
            }
        for instance in needed { _ = try await services(of: instance) }
    }

    func close() async {
        for loadable in instances.values {
            if let services = loadable.snapshot.contents { await upgrade.close(services) }
        }
    }

    /// What it says is judged when it is asked under traffic.
    private static func warm(_ services: Services, _ upgrade: RehearsedUpgrade<Services>) async {
        for operation in upgrade.operations where operation.kind != .write {
            do {
                try await operation.perform(services, Visit(seed: 0, epoch: 0, number: 0))
            } catch {
                continue
            }
        }
    }
}
