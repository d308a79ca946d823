public import Cofferdam  // a picture is provided when it is wanted
public import SanctuaryDomain  // the domain's photos

/// Animals' pictures.
public struct PhotoFeature: Sendable {
    let port: any Photos

    /// The animal's picture, to be started by who shows it, and stopped when it is out of sight: an error is a state of it.
    public func picture(of id: AnimalID) -> DelayedProvider<Photo> {
        DelayedProvider { [port] progress in
            let photo = try await port.photo(of: id)
            let size = Int64(photo.bytes.count)
            progress(TransferProgress(completed: size, total: size))
            return photo
        }
    }

    /// The animal's picture, whole: it may be empty, and its bytes are the vendor's.
    public func photo(of id: AnimalID) async throws -> Photo { try await picture(of: id).value() }
}
