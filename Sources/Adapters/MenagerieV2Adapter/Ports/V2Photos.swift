#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Pictures, fetched by URLs that the vendor signs for each call. The URLs do not leave this file.
struct V2Photos: Photos {
    let connection: Connection

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        let transfer = Mutex(PhotoTransfer(progress))
        defer { transfer.withLock { $0.end() } }
        let onProgress: @Sendable (ImageProgress) -> Void = { imageProgress in
            transfer.withLock { $0.received(imageProgress.receivedBytes, of: imageProgress.totalBytes) }
        }
        let photo = try await connection.perform(subject: id.rawValue) { [connection] in
            let vendorID = try await connection.vendorID(of: id)
            let image: ImageData
            do {
                image = try await fetch(vendorID, onProgress)
            } catch MenagerieError.signatureExpired {
                image = try await fetch(vendorID, onProgress)
            }
            return try Photo(bytes: image.bytes, declaredType: image.contentType)
        }
        transfer.withLock { $0.finish(with: photo) }
        return photo
    }

    private func fetch(
        _ vendorID: String,
        _ onProgress: @escaping @Sendable (ImageProgress) -> Void
    ) async throws -> ImageData {
        let address = try await connection.ask { client in try await client.imageURL(for: vendorID) }
        // The URL differs each time; and an outdated picture must not be returned.
        let options = ImageOptions(key: vendorID, maximumAge: .zero, staleWhileRevalidate: false)
        return try await connection.ask { client in
            try await client.imageData(from: address, options: options, onProgress: onProgress)
        }
    }
}
#endif
