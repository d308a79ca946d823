public import Cofferdam  // a picture is provided when it is wanted
public import SanctuaryDomain  // the domain's photos

/// Animals' pictures.
public struct PhotoFeature: Sendable {
    let port: any Photos

    /// The animal's picture, to be started by who shows it, and stopped when it is out of sight: an error is a state of it.
    public func picture(of id: AnimalID) -> DelayedProvider<Photo> {
        DelayedProvider { [port] progress in
            try await port.photo(of: id) {
                progress(TransferProgress(completed: Int64($0.completed), total: $0.total.map(Int64.init)))
            }
        }
    }

    /// The animal's picture, whole: it may be empty, and its bytes are the vendor's.
    public func photo(of id: AnimalID) async throws -> Photo { try await picture(of: id).value() }
}
