public import SanctuaryDomain  // the domain's photos

/// Animals' pictures.
public struct PhotoFeature: Sendable {
    let port: any Photos

    /// The animal's picture, whole: it may be empty, and its bytes are the vendor's.
    public func photo(of id: AnimalID) async throws -> Photo { try await port.photo(of: id) }
}
