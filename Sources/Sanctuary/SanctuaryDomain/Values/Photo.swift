/// An animal's picture, whole.
public struct Photo: Sendable, Hashable {
    public var bytes: [UInt8]
    /// As the vendor declares it: "image/bmp".
    public var mediaType: String

    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}
