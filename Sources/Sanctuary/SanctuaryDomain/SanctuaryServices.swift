/// The six ports, as one SDK or fake opened them.
public struct SanctuaryServices: Sendable {
    /// A description, for humans, of what implements the ports.
    public var backing: String
    /// The capabilities of this SDK beyond those required of every SDK.
    public var capabilities: Set<Capability>
    public var catalogue: any Catalogue
    public var photos: any Photos
    public var accessories: any Accessories
    public var orders: any Orders
    public var messages: any Messages
    public var accounts: any Accounts
    /// Ends all work and releases all resources. Idempotent; later calls throw `closed`.
    public var close: @Sendable () async -> Void

    public init(
        backing: String,
        capabilities: Set<Capability>,
        catalogue: any Catalogue,
        photos: any Photos,
        accessories: any Accessories,
        orders: any Orders,
        messages: any Messages,
        accounts: any Accounts,
        close: @escaping @Sendable () async -> Void
    ) {
        self.backing = backing
        self.capabilities = capabilities
        self.catalogue = catalogue
        self.photos = photos
        self.accessories = accessories
        self.orders = orders
        self.messages = messages
        self.accounts = accounts
        self.close = close
    }
}

/// A feature that some SDKs have and others lack, declared so that callers need not discover it by failing.
public struct Capability: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Access tokens expire and are refreshed.
    public static let sessionRefresh = Capability(rawValue: "sessionRefresh")
    /// Lists are walked with the vendor's cursors, which may be any text and may expire; without it, by offsets.
    public static let vendorCursors = Capability(rawValue: "vendorCursors")
    /// Several instances, independent of each other, can be open in one process.
    public static let instances = Capability(rawValue: "instances")
    /// An order may mix currencies, or use one other than the account's.
    public static let mixedCurrencies = Capability(rawValue: "mixedCurrencies")
    /// Placing an order again with the same key returns the same order.
    public static let idempotencyKeys = Capability(rawValue: "idempotencyKeys")
    /// A picture that is on the device is not sent again: requests tell the vendor which version is stored.
    public static let conditionalGet = Capability(rawValue: "conditionalGet")
    /// The vendor can list the animals of a single group.
    public static let groupFilter = Capability(rawValue: "groupFilter")
    /// The vendor reports a picture's progress; without it, only the end is reported.
    public static let progress = Capability(rawValue: "progress")
    /// The vendor stores the user's nicknames for accessories.
    public static let nicknames = Capability(rawValue: "nicknames")
}
