#if Sandbox
import CofferdamCurl
import Foundation
import HTTPTypes

extension MenagerieClient {
    /// Fetches an image, from this device if it is stored and fresh enough.
    ///
    /// - Parameter onProgress: called during each attempt to fetch it, on any thread. It must not block.
    /// - Throws: `signatureExpired` if it has to be fetched and the URL has expired.
    public nonisolated func imageData(
        from address: SignedURL,
        options image: ImageOptions = ImageOptions(),
        onProgress: (@Sendable (ImageProgress) -> Void)? = nil
    ) async throws(MenagerieError) -> ImageData {
        try await requireConfiguration()
        let key = image.key ?? address.url
        guard let stored = await imageCache.entry(under: key) else {
            return try await fetchImage(address, key: key, known: nil, onProgress)
        }
        if options.now().timeIntervalSince(stored.storedAt) < image.maximumAge / .seconds(1) { return stored.image }
        guard image.staleWhileRevalidate else {
            return try await fetchImage(address, key: key, known: stored, onProgress)
        }
        Task { _ = try? await fetchImage(address, key: key, known: stored) }  // next time, perhaps
        return stored.image
    }

    private nonisolated func fetchImage(
        _ address: SignedURL,
        key: String,
        known: ImageCache.Entry?,
        _ onProgress: (@Sendable (ImageProgress) -> Void)? = nil
    ) async throws(MenagerieError) -> ImageData {
        var request = WireRequest.get(address: address.url)
        if let tag = known?.tag { request.headers.append(("If-None-Match", tag)) }
        var entry: ImageCache.Entry
        do {
            let reply = try await wire.bytes(of: request, onProgress: onProgress)
            entry = ImageCache.Entry(
                contentType: reply.head.headerFields[.contentType],
                tag: reply.head.headerFields[.eTag],
                storedAt: options.now(),
                bytes: Data(reply.body)
            )
        } catch {
            guard var known, case .server(_, let reply) = error, reply.status == 304 else { throw error }
            known.storedAt = options.now()
            entry = known
        }
        await imageCache.keep(entry, under: key)
        return entry.image
    }
}
#endif
