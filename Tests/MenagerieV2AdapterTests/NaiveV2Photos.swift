import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain

/// The SDK's pictures as they come: by their address, or by the animal's id with the SDK's defaults for all the rest.
struct NaiveV2Photos: Photos {
    let client: MenagerieClient
    var isKeyed = false

    func photo(of id: AnimalID) async throws -> Photo {
        guard let uuid = try await client.identifiers(ofLegacy: [Int(id.rawValue) ?? 0]).first?.id else {
            throw SanctuaryError(.notFound, "no such animal")
        }
        let address = try await client.imageURL(for: uuid)
        let image = try await client.imageData(from: address, options: ImageOptions(key: isKeyed ? uuid : nil))
        return try Photo(bytes: image.bytes, declaredType: image.contentType)
    }
}
