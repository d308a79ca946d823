import MenagerieV2
import SanctuaryDomain

/// Pictures by addresses that the vendor signs anew for each call, and that go no further than this file.
struct V2Photos: Photos {
    let connection: Connection

    func photo(of id: AnimalID) async throws -> Photo {
        try await connection.perform(subject: id.rawValue) { [connection] in
            let vendorID = try await connection.vendorID(of: id)
            let image: ImageData
            do {
                image = try await fetch(vendorID)
            } catch MenagerieError.signatureExpired {
                image = try await fetch(vendorID)
            }
            return try Photo(bytes: image.bytes, declaredType: image.contentType)
        }
    }

    private func fetch(_ vendorID: String) async throws -> ImageData {
        let address = try await connection.ask { client in try await client.imageURL(for: vendorID) }
        // The address is another one each time; and an old picture is not the picture.
        let options = ImageOptions(key: vendorID, maximumAge: .zero, staleWhileRevalidate: false)
        return try await connection.ask { client in try await client.imageData(from: address, options: options) }
    }
}
