/// An animal's picture, whole.
public struct Photo: Sendable, Hashable {
    public var bytes: [UInt8]
    /// As the vendor declares it: "image/bmp".
    public var mediaType: String

    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// A picture of the media type that came with it; without one, any bytes are taken for a picture.
    ///
    /// - Throws: `decoding` for what declares itself something else: it comes from somebody between the vendor and us.
    public init(bytes: [UInt8], declaredType: String?) throws(SanctuaryError) {
        let mediaType = declaredType ?? "application/octet-stream"
        guard ["image/", "application/octet-stream"].contains(where: mediaType.lowercased().hasPrefix) else {
            throw SanctuaryError(.decoding, "\(mediaType) came in place of a picture", subject: "Content-Type")
        }
        self.init(bytes: bytes, mediaType: mediaType)
    }
}
