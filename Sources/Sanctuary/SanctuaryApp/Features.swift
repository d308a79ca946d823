import Cofferdam
import CofferdamState
public import CofferdamStore  // the lists are saved in its storage
public import SanctuaryDomain  // the features use the domain's ports and return its values

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The app's features, whichever SDK opened the services.
///
/// All methods throw the ports' ``SanctuaryError``, `CancellationError`, or ``FeatureError`` for what the app itself
/// refuses. None of them prints.
public struct Features: Sendable {
    public let catalogue: CatalogueFeature
    public let photos: PhotoFeature
    public let gallery: Gallery
    public let accessories: AccessoriesFeature
    public let orders: OrdersFeature
    public let conversation: ConversationFeature
    public let account: AccountFeature

    /// Creates the features of an app.
    ///
    /// - Parameters:
    ///   - storage: saves lists for the next launch; nil keeps them in memory.
    ///   - limits: the limits for walking a list.
    ///   - now: the wall clock.
    ///   - makeKey: returns a new key for each attempt to place an order or send a message.
    public init(
        services: SanctuaryServices,
        storage: ListStorage? = nil,
        limits: WalkLimits = WalkLimits(),
        now: @escaping @Sendable () -> Instant = { Instant.now },
        makeKey: @escaping @Sendable () -> String = { newKey() }
    ) {
        let store = Store()
        let catalogue = CatalogueFeature(port: services.catalogue, store: store, storage: storage, limits: limits)
        let mentions = Mentions(catalogue: catalogue.list.collection)
        let signedIn = RequiredCredential(services.accounts)
        let restore = catalogue.list.restore
        let reader = ListOwner.user { try await services.accounts.state().account?.id }
        let orderList = StoreList(
            in: store,
            persistence: storage.map { ListPersistence<ShownOrder>($0, owner: reader) },
            freshness: .list,
            prepare: restore,
            resolve: mentions.resolve
        ) {
            let orders = try await signedIn.use { _ in
                try await walk("orders", limits: limits) { try await services.orders.orders($0) }
            }
            return await catalogue.known(to: orders.map { ShownOrder($0) })
        }
        let messageList = StoreList(
            in: store,
            persistence: storage.map { ListPersistence<ShownMessage>($0, owner: reader) },
            freshness: .list,
            prepare: restore,
            resolve: mentions.resolve
        ) {
            let messages = try await walk("messages", limits: limits) { try await services.messages.messages($0) }
            return await catalogue.known(to: messages.map { ShownMessage($0) })
        }
        self.catalogue = catalogue
        photos = PhotoFeature(port: services.photos)
        gallery = Gallery(photos)
        accessories = AccessoriesFeature(port: services.accessories)
        orders = OrdersFeature(port: services.orders, account: signedIn, list: orderList, now: now, makeKey: makeKey)
        conversation = ConversationFeature(port: services.messages, list: messageList, makeKey: makeKey)
        account = AccountFeature(port: services.accounts) {
            // Each list is deleted even if deleting the other fails.
            let orders = await Result { try await orderList.forget() }
            let messages = await Result { try await messageList.forget() }
            for case .failure(let error) in [orders, messages] { throw FeatureError(notForgotten: error) }
        }
    }

    /// Returns a random key, which no other attempt has: a version 4 UUID in lower case.
    public static func newKey() -> String { UUID().uuidString.lowercased() }

    /// Waits until the current lists are saved. Call it before the app ends or goes to the background.
    public func save() async {
        await catalogue.list.save()
        await orders.list.save()
        await conversation.list.save()
    }
}

extension Freshness {
    /// The time for which a list that was read completely counts as fresh.
    static let list = Freshness.for(.seconds(300))
}

extension FeatureError {
    fileprivate init(notForgotten error: any Error) {
        self.init(
            .notForgotten,
            "the list of the user who was signed in cannot be deleted from this device: \(error)",
            subject: (error as? ListNotDeleted)?.key
        )
    }
}

extension RequiredCredential<Account> {
    /// The signed-in account, read each time.
    fileprivate init(_ accounts: any Accounts) {
        self.init(missing: { SanctuaryError(.authenticationRequired, "sign in to order") }) {
            do {
                return try await accounts.state().account
            } catch let error as SanctuaryError where error.code == .unknown {
                throw SanctuaryError(
                    .authenticationRequired,
                    "\(error.message); sign in again",
                    subject: error.subject,
                    cause: error.cause
                )
            }
        }
    }
}

extension CatalogueFeature {
    /// Reads the catalogue if the models mention unknown animals. A failure to read it is ignored.
    fileprivate func known<Model: Mentioning>(to models: [Model]) async -> [Model] {
        if models.contains(where: \.hasUnknownMentions) { await all.syncIfNeeded() }
        return models
    }
}

extension AccountState {
    fileprivate var account: Account? { if case .signedIn(let account) = self { account } else { nil } }
}

extension Instant {
    /// The current time by the system's clock.
    public static var now: Instant {
        Instant(seconds: Date().timeIntervalSince1970) ?? Instant(millisecondsSince1970: 0)
    }
}
