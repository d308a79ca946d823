/// A complete picture of an animal.
public struct Photo: Sendable, Hashable {
    public var bytes: [UInt8]
    /// The media type that the vendor declares: "image/bmp".
    public var mediaType: String

    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// Creates a picture with its declared media type; without one, any bytes are accepted.
    ///
    /// - Throws: `decoding` for a type that is not an image: it comes from an intermediary between the vendor and the
    ///   app.
    public init(bytes: [UInt8], declaredType: String?) throws(SanctuaryError) {
        let mediaType = declaredType ?? "application/octet-stream"
        guard ["image/", "application/octet-stream"].contains(where: mediaType.lowercased().hasPrefix) else {
            throw SanctuaryError(.decoding, "\(mediaType) came in place of a picture", subject: "Content-Type")
        }
        self.init(bytes: bytes, mediaType: mediaType)
    }
}
