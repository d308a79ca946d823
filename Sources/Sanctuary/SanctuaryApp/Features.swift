import Cofferdam
import CofferdamStore
public import SanctuaryDomain  // the features are made of the domain's ports, and give its values

/// What the app can do, over whichever SDK opened the services.
///
/// Everything throws the ports' ``SanctuaryError``, `CancellationError`, or ``FeatureError`` for what the app itself
/// refuses. Nothing prints.
public struct Features: Sendable {
    public let catalogue: CatalogueFeature
    public let photos: PhotoFeature
    public let accessories: AccessoriesFeature
    public let orders: OrdersFeature
    public let conversation: ConversationFeature
    public let account: AccountFeature

    /// - Parameters:
    ///   - limits: how far the app walks a list.
    ///   - makeKey: a new name for each attempt to place an order or send a message.
    public init(
        services: SanctuaryServices,
        limits: WalkLimits = WalkLimits(),
        makeKey: @escaping @Sendable () -> String = { UniqueKey().description }
    ) {
        let store = Store()
        catalogue = CatalogueFeature(port: services.catalogue, store: store, limits: limits)
        photos = PhotoFeature(port: services.photos)
        accessories = AccessoriesFeature(port: services.accessories)
        orders = OrdersFeature(
            port: services.orders,
            account: RequiredCredential(missing: { SanctuaryError(.authenticationRequired, "sign in to order") }) {
                do {
                    return try await services.accounts.state().account
                } catch let error as SanctuaryError where error.code == .unknown {
                    throw SanctuaryError(
                        .authenticationRequired,
                        "\(error.message); sign in again",
                        subject: error.subject,
                        cause: error.cause
                    )
                }
            },
            limits: limits,
            makeKey: makeKey
        )
        conversation = ConversationFeature(port: services.messages, limits: limits, makeKey: makeKey)
        account = AccountFeature(port: services.accounts)
    }
}

extension AccountState {
    fileprivate var account: Account? { if case .signedIn(let account) = self { account } else { nil } }
}
