import Cofferdam
public import CofferdamState  // a picture is a delayed provider
public import SanctuaryDomain  // the domain's photos

/// Animals' pictures.
public struct PhotoFeature: Sendable {
    let port: any Photos

    /// The animal's picture, whose errors are states. Start it when it is shown, and stop it when it is out of sight.
    public func picture(of id: AnimalID) -> DelayedProvider<Photo> {
        DelayedProvider { [port] progress in
            try await port.photo(of: id) {
                progress(TransferProgress(completed: Int64($0.completed), total: $0.total.map(Int64.init)))
            }
        }
    }

    /// Returns the animal's complete picture, with the vendor's bytes; it may be empty.
    public func photo(of id: AnimalID) async throws -> Photo { try await picture(of: id).value() }
}
