import Cofferdam
import CofferdamState
import CofferdamUpgrade

/// The instances that a walk has open, each at most once in a process of the app, with the scenario's faults in front
/// of them.
final class RehearsedInstances<Services: Sendable>: Sendable {
    private let instances = Mutex<[RehearsedInstance: Loadable<Services>]>([:])
    private let injectors: [RehearsedInstance: FaultInjector]
    private let upgrade: RehearsedUpgrade<Services>

    init(_ upgrade: RehearsedUpgrade<Services>, injector: (RehearsedInstance) -> FaultInjector) {
        self.upgrade = upgrade
        injectors = Dictionary(uniqueKeysWithValues: RehearsedInstance.allCases.map { ($0, injector($0)) })
    }

    /// The instance's streams, as far as they pass through its fault injector.
    func streams(of instance: RehearsedInstance) -> InjectedStreams? { injectors[instance]?.streams }

    /// Whether any instance has returned a changed value.
    var haveSpoiled: Bool { injectors.values.contains { $0.hasSpoiled } }

    func services(of instance: RehearsedInstance) async throws -> Services {
        guard let injector = injectors[instance] else { throw CancellationError() }
        let loadable = instances.withLock { instances in
            if let loadable = instances[instance] { return loadable }
            let loadable = Loadable<Services> { [upgrade] in
                try await injector.opening()
                let services = try await upgrade.open(instance)
                await Self.warm(services, upgrade)
                return upgrade.faulty(services, injector)
            }
            instances[instance] = loadable
            return loadable
        }
        return try await loadable.fetchIfNeeded()
    }

    static func needed(at stage: Stage) -> [RehearsedInstance] {
        switch stage {
        case .legacyOnly, .aa, .arms: [.legacy]
        case .shadow: [.legacy, .shadowCandidate]
        case .canary: [.legacy, .shadowCandidate, .candidate]
        case .candidateWithFallback, .candidateShadowed: [.legacy, .candidate]
        case .candidateOnly: [.candidate]
        }
    }

    /// Closes all open instances. They are opened again when they are next needed.
    func close() async {
        let open = instances.withLock { instances in
            defer { instances = [:] }
            return instances.values.compactMap(\.snapshot.contents)
        }
        for services in open { await upgrade.close(services) }
    }

    /// Calls each reading operation once. Errors are ignored here: they are judged under traffic.
    private static func warm(_ services: Services, _ upgrade: RehearsedUpgrade<Services>) async {
        for operation in upgrade.operations where operation.kind != .write {
            do {
                try await operation.perform(services, .trial)
            } catch {
                continue
            }
        }
    }
}

/// The router of the current process. A new process opens its own sides.
final class RehearsedRouter<Services: Sendable>: Sendable {
    private let instances: RehearsedInstances<Services>
    private let observer: any RouteObserver
    private let clock: any Clock<Duration>
    private let router: Mutex<Router<Services>>

    /// - Parameter observer: is notified of how long a side took to open.
    init(_ instances: RehearsedInstances<Services>, _ observer: any RouteObserver, _ clock: any Clock<Duration>) {
        (self.instances, self.observer, self.clock) = (instances, observer, clock)
        router = Mutex(Self.router(instances, observer, clock))
    }

    var current: Router<Services> { router.withLock { $0 } }

    /// Opens what a stage needs before the traffic starts: slow first calls would distort its latencies, and a stream
    /// that changes sides can only subscribe immediately to a side that is open.
    func open(for stage: Stage) async throws {
        let router = current
        for instance in RehearsedInstances<Services>.needed(at: stage) {
            switch instance {
            case .legacy: _ = try await router.port(at: .legacyOnly)
            case .candidate: _ = try await router.port(at: .candidateOnly)
            case .shadowCandidate: _ = try await instances.services(of: instance)
            }
        }
    }

    /// Replaces the router for the next process.
    func renew() { router.withLock { $0 = Self.router(instances, observer, clock) } }

    private static func router(
        _ instances: RehearsedInstances<Services>,
        _ observer: any RouteObserver,
        _ clock: any Clock<Duration>
    ) -> Router<Services> {
        Router(
            observer: observer,
            clock: clock,
            legacy: { try await instances.services(of: .legacy) },
            candidate: { try await instances.services(of: .candidate) },
            shadowCandidate: { try await instances.services(of: .shadowCandidate) }
        )
    }
}
