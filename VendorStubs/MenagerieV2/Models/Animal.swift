#if Sandbox
/// An animal of the catalogue.
public struct Animal: Sendable, Hashable, Identifiable, Codable {
    /// The id, a UUID in the server's spelling.
    public var id: String
    /// The canonical English name.
    public var name: String
    /// The name in the language of the options.
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

/// The kind of an animal. The set is open: the server may send kinds unknown to this SDK.
public struct AnimalKind: RawRepresentable, Sendable, Hashable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let mammal = AnimalKind(rawValue: "mammal")
    public static let bird = AnimalKind(rawValue: "bird")
    public static let reptile = AnimalKind(rawValue: "reptile")
    public static let fish = AnimalKind(rawValue: "fish")
    public static let other = AnimalKind(rawValue: "other")
}

/// Selects animals of the catalogue.
public struct AnimalFilter: Sendable, Hashable {
    /// The exact kind; nil for any.
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

/// A URL of an image, valid for a short time.
public struct SignedURL: Sendable, Hashable, Codable {
    public var url: String
    /// RFC 3339.
    public var expiresAt: String

    public init(url: String, expiresAt: String) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// The progress of an image's transfer. Encoded bytes are counted as sent.
public struct ImageProgress: Sendable, Hashable {
    public var receivedBytes: Int
    /// The expected total; nil if the server does not announce it.
    public var totalBytes: Int?

    public init(receivedBytes: Int, totalBytes: Int?) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

/// A complete image.
public struct ImageData: Sendable, Hashable {
    public var bytes: [UInt8]
    /// The `Content-Type` of the answer.
    public var contentType: String?

    public init(bytes: [UInt8], contentType: String?) {
        self.bytes = bytes
        self.contentType = contentType
    }
}
#endif
