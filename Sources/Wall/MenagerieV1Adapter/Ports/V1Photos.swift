import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

/// Pictures, of which the SDK keeps each one for ever: so it is told to ask whether what it has is still the picture.
struct V1Photos: Photos {
    let vendor: Vendor

    func photo(of id: AnimalID) async throws -> Photo {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        let number = try id.number()
        return try await vendor.call(of: id.rawValue) { [vendor] sdk, complete in
            sdk.fetchPhoto(ofAnimal: number, cachePolicy: .validate) { @Sendable bytes, mediaType, error in
                complete(
                    vendor.outcome(bytes, error) { bytes throws(SanctuaryError) in
                        try Photo(bytes: [UInt8](bytes), declaredType: mediaType)
                    }
                )
            }
        }
    }
}
