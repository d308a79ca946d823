import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

struct V1Photos: Photos {
    let vendor: Vendor

    func photo(of id: AnimalID) async throws -> Photo {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        let number = try id.number()
        return try await vendor.call(of: id.rawValue) { [vendor] sdk, complete in
            sdk.fetchPhoto(ofAnimal: number) { @Sendable bytes, mediaType, error in
                complete(
                    vendor.outcome(bytes, error) { bytes throws(SanctuaryError) in
                        try Photo(bytes: [UInt8](bytes), vendorType: mediaType)
                    }
                )
            }
        }
    }
}

extension Photo {
    /// Something else in place of a picture comes from somebody between the vendor and us.
    init(bytes: [UInt8], vendorType: String?) throws(SanctuaryError) {
        let mediaType = vendorType ?? "application/octet-stream"
        guard ["image/", "application/octet-stream"].contains(where: mediaType.lowercased().hasPrefix) else {
            throw SanctuaryError(.decoding, "\(mediaType) came in place of a picture", subject: "Content-Type")
        }
        self.init(bytes: bytes, mediaType: mediaType)
    }
}
