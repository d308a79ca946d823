/// An animal of the catalogue.
public struct Animal: Sendable, Hashable, Identifiable, Codable {
    /// A UUID, as the server spells it.
    public var id: String
    /// Canonical English.
    public var name: String
    /// In the language of the options.
    public var localizedName: String
    public var kind: AnimalKind
    /// Nil if it is not recorded.
    public var legs: Int?
    /// Nil if it is not recorded.
    public var heads: Int?

    public init(
        id: String,
        name: String,
        localizedName: String,
        kind: AnimalKind,
        legs: Int? = nil,
        heads: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.localizedName = localizedName
        self.kind = kind
        self.legs = legs
        self.heads = heads
    }
}

/// What kind of animal it is. Open: the server may tell of kinds that this SDK does not name.
public struct AnimalKind: RawRepresentable, Sendable, Hashable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let mammal = AnimalKind(rawValue: "mammal")
    public static let bird = AnimalKind(rawValue: "bird")
    public static let reptile = AnimalKind(rawValue: "reptile")
    public static let fish = AnimalKind(rawValue: "fish")
    public static let other = AnimalKind(rawValue: "other")
}

/// Which animals of the catalogue.
public struct AnimalFilter: Sendable, Hashable {
    /// Exactly this kind; nil is any.
    public var kind: AnimalKind?

    public init(kind: AnimalKind? = nil) { self.kind = kind }
}

/// An animal's id of version 1, and its id.
public struct IdentifierPair: Sendable, Hashable, Codable {
    public var legacyId: Int
    public var id: String

    public init(legacyId: Int, id: String) {
        self.legacyId = legacyId
        self.id = id
    }
}

/// An image's address for a short time.
public struct SignedURL: Sendable, Hashable, Codable {
    public var url: String
    /// RFC 3339.
    public var expiresAt: String

    public init(url: String, expiresAt: String) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// How much of an image has come over the network. What is encoded for the way counts as it is sent.
public struct ImageProgress: Sendable, Hashable {
    public var receivedBytes: Int
    /// Nil if the server does not tell.
    public var totalBytes: Int?

    public init(receivedBytes: Int, totalBytes: Int?) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

/// An image, whole.
public struct ImageData: Sendable, Hashable {
    public var bytes: [UInt8]
    /// The `Content-Type` of the answer.
    public var contentType: String?

    public init(bytes: [UInt8], contentType: String?) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
