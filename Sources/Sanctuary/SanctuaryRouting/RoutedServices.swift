import Cofferdam
public import CofferdamUpgrade  // the kit's router and sessions
public import SanctuaryDomain  // the domain's services
import SanctuaryOperations

/// The six ports routed between two SDKs for one unit, which the app uses like the services of one SDK.
///
/// The session of the unit decides where each call goes. Nothing is opened before the first call needs it. All six
/// move together, because the session at the vendor does.
///
/// - Parameters:
///   - capabilities: the capabilities that the app may rely on, whichever side answers.
///   - routes: the settings that all six share.
/// - Returns: services whose `close` closes every open side.
public func routedServices(
    _ router: Router<SanctuaryServices>,
    for session: UnitSession,
    capabilities: Set<Capability>,
    _ routes: RouteSettings
) -> SanctuaryServices {
    routedServices(router, following: { session }, capabilities: capabilities, routes)
}

/// The six ports routed between two SDKs for the current unit, which may change.
///
/// - Parameter session: returns the current session; called for each call.
public func routedServices(
    _ router: Router<SanctuaryServices>,
    following session: @escaping @Sendable () -> UnitSession,
    capabilities: Set<Capability>,
    _ routes: RouteSettings
) -> SanctuaryServices {
    func routed<Port: Sendable>(
        _ capability: RoutedCapability,
        _ port: @escaping @Sendable (SanctuaryServices) -> Port
    ) -> Intercepted<Port> {
        var settings = routes.settings(of: capability)
        settings.isSameUser = router.isSameUser
        return Intercepted(source: router.route(following: session, settings: settings, port: port))
    }
    return SanctuaryServices(
        backing: "two SDKs",
        capabilities: capabilities,
        catalogue: routed(.catalogue) { $0.catalogue },
        photos: routed(.photos) { $0.photos },
        accessories: routed(.accessories) { $0.accessories },
        orders: routed(.orders) { $0.orders },
        messages: routed(.messages) { $0.messages },
        accounts: routed(.accounts) { $0.accounts },
        close: {
            await router.close(throwing: SanctuaryError(.closed, "the services have been closed")) { await $0.close() }
        }
    )
}

extension Router<SanctuaryServices> {
    /// Whether the same user is signed in on both sides: a user who signed out on one side, or signed in as another
    /// user, must not be answered by the other. False if a side cannot tell.
    fileprivate func isSameUser() async -> Bool {
        do {
            let legacy = try await port(at: .legacyOnly).accounts.state()
            let candidate = try await port(at: .candidateOnly).accounts.state()
            guard case .signedIn(let one) = legacy, case .signedIn(let other) = candidate else { return false }
            return one.id == other.id
        } catch {
            return false
        }
    }
}
