#if Sandbox
import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain

/// The SDK's pictures with its defaults.
struct NaiveV2Photos: Photos {
    /// The key of a stored picture.
    enum Key {
        case address
        case uuid
        /// The animal's id as the caller spells it.
        case spelling
    }

    let client: MenagerieClient
    var key = Key.address

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        let uuid: String
        if let number = Int(id.rawValue) {
            guard let pair = try await client.identifiers(ofLegacy: [number]).first else {
                throw SanctuaryError(.notFound, "no such animal")
            }
            uuid = pair.id
        } else {
            uuid = id.rawValue
        }
        let address = try await client.imageURL(for: uuid)
        let key: String? =
            switch key {
            case .address: nil
            case .uuid: uuid
            case .spelling: id.rawValue
            }
        let image = try await client.imageData(from: address, options: ImageOptions(key: key)) { imageProgress in
            progress(PhotoProgress(completed: imageProgress.receivedBytes, total: imageProgress.totalBytes))
        }
        return try Photo(bytes: image.bytes, declaredType: image.contentType)
    }
}
#endif
