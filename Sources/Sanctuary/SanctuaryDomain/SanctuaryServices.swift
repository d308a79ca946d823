/// The six ports, as one SDK or fake opened them.
public struct SanctuaryServices: Sendable {
    /// Who stands behind the ports, for people to read.
    public var backing: String
    /// What this SDK can do beyond what every one must.
    public var capabilities: Set<Capability>
    public var catalogue: any Catalogue
    public var photos: any Photos
    public var accessories: any Accessories
    public var orders: any Orders
    public var messages: any Messages
    public var accounts: any Accounts
    /// Ends what is going on and frees what is held. Idempotent; calls made afterwards throw `closed`.
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

/// Something that one SDK can do and another cannot: declared, so that nobody has to find out by failing.
public struct Capability: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Access tokens expire and are refreshed.
    public static let sessionRefresh = Capability(rawValue: "sessionRefresh")
    /// Lists are walked by the vendor's cursors, which may be anything and may expire; without it, by offsets.
    public static let vendorCursors = Capability(rawValue: "vendorCursors")
    /// Several instances, independent of each other, can be open in one process.
    public static let instances = Capability(rawValue: "instances")
    /// An order may mix currencies, or use another one than the account's.
    public static let mixedCurrencies = Capability(rawValue: "mixedCurrencies")
    /// Placing an order again with the same key gives the same order.
    public static let idempotencyKeys = Capability(rawValue: "idempotencyKeys")
    /// A picture that is on the device is not sent again: the vendor is told which version is there.
    public static let conditionalGet = Capability(rawValue: "conditionalGet")
    /// The vendor gives the animals of one group alone, when asked for them.
    public static let groupFilter = Capability(rawValue: "groupFilter")
    /// The vendor tells how much of a picture has come; without it, there is the last word alone.
    public static let progress = Capability(rawValue: "progress")
    /// The vendor keeps the user's own names of accessories.
    public static let nicknames = Capability(rawValue: "nicknames")
}
