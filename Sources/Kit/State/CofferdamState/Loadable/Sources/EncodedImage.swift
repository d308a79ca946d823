import Cofferdam

/// The bytes of an image and their format, recognised by the first bytes.
public struct EncodedImage: Sendable, Hashable {
    /// An image format.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case jpeg, jpeg2000, png, gif, webp, avif, heic

        /// The media type (IANA).
        public var mediaType: String {
            switch self {
            case .jpeg2000: "image/jp2"
            default: "image/\(rawValue)"
            }
        }

        /// Recognises the format by the signature; nil for any other.
        package init?(signature bytes: some Collection<UInt8>) {
            let head = Array(bytes.prefix(12))
            func matches(_ text: [UInt8], at offset: Int = 0) -> Bool {
                head.count >= offset + text.count && head[offset..<(offset + text.count)].elementsEqual(text)
            }
            if matches([0xFF, 0xD8, 0xFF]) {
                self = .jpeg
            } else if matches([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) {
                self = .jpeg2000
            } else if matches([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                self = .png
            } else if matches(Array("GIF87a".utf8)) || matches(Array("GIF89a".utf8)) {
                self = .gif
            } else if matches(Array("RIFF".utf8)), matches(Array("WEBP".utf8), at: 8) {
                self = .webp
            } else if matches(Array("ftypavif".utf8), at: 4) {
                self = .avif
            } else if matches(Array("ftypheic".utf8), at: 4) {
                self = .heic
            } else {
                return nil
            }
        }
    }

    /// The encoded bytes.
    public let bytes: [UInt8]
    /// The format, recognised by the first bytes.
    public let format: Format

    /// - Parameters:
    ///   - accepted: the formats that the screen can decode.
    ///   - declared: the media type that came with it, as in `Content-Type`; nil if none came. `application/octet-stream`
    ///     says nothing.
    /// - Throws: ``LoadableError/Code/unacceptedType`` if the bytes have no accepted format, or another format than the
    ///   declared one.
    package init(
        _ bytes: [UInt8],
        accepting accepted: Set<Format> = Set(Format.allCases),
        declared: String? = nil
    ) throws {
        guard let format = Format(signature: bytes) else {
            throw LoadableError(.unacceptedType, "\(bytes.count) bytes that do not begin like any known image")
        }
        guard accepted.contains(format) else {
            throw LoadableError(.unacceptedType, "\(format.mediaType) is not accepted")
        }
        let type = declared.map { $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace } }
        guard type == nil || type == "application/octet-stream" || type == format.mediaType else {
            throw LoadableError(.unacceptedType, "the bytes are \(format.mediaType), but another type was declared")
        }
        self.bytes = bytes
        self.format = format
    }
}

extension LoadableCache {
    /// The image for the key, shared by all callers; its format is checked before it commits.
    ///
    /// - Parameter load: returns the bytes and their declared media type.
    public func image(
        _ key: LoadableKey,
        accepting accepted: Set<EncodedImage.Format> = Set(EncodedImage.Format.allCases),
        executor: (any TaskExecutor)? = nil,
        load: @escaping @Sendable () async throws -> (bytes: [UInt8], mediaType: String?)
    ) -> Loadable<EncodedImage> {
        loadable(key) {
            Loadable(executor: executor) {
                let (bytes, mediaType) = try await load()
                return try EncodedImage(bytes, accepting: accepted, declared: mediaType)
            }
        }
    }
}
