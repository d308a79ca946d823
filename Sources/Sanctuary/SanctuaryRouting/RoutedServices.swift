public import CofferdamUpgrade  // what routes is the kit's
public import SanctuaryDomain  // what is routed are the domain's services

/// The six ports between two SDKs, for one unit: what an app holds in the place of one SDK's services.
///
/// The unit's session says where each call goes; nothing is opened before the first call needs it. All six move together,
/// because the session at the vendor does.
///
/// - Parameters:
///   - capabilities: what the app may rely on, whichever side answers: what both can do, unless the stage never changes.
/// - Returns: services whose `close` closes every side that is open, and the router.
public func routedServices(
    _ router: Router<SanctuaryServices>,
    for session: UnitSession,
    capabilities: Set<Capability>,
    _ routes: SanctuaryRoutes = SanctuaryRoutes()
) -> SanctuaryServices {
    func route<Port: Sendable>(
        _ capability: RoutedCapability,
        _ port: @escaping @Sendable (SanctuaryServices) -> Port
    ) -> Route<Port> {
        router.route(for: session, settings: routes.settings(of: capability), port: port)
    }
    return SanctuaryServices(
        backing: "two SDKs",
        capabilities: capabilities,
        catalogue: RoutedCatalogue(route: route(.catalogue) { $0.catalogue }),
        photos: RoutedPhotos(route: route(.photos) { $0.photos }),
        accessories: RoutedAccessories(route: route(.accessories) { $0.accessories }),
        orders: RoutedOrders(route: route(.orders) { $0.orders }),
        messages: RoutedMessages(route: route(.messages) { $0.messages }),
        accounts: RoutedAccounts(route: route(.accounts) { $0.accounts }),
        close: {
            await router.close(throwing: SanctuaryError(.closed, "the services have been closed")) { await $0.close() }
        }
    )
}
