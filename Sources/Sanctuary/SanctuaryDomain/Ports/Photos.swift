/// Port: animals' pictures.
///
/// Isolation, cancellation and errors as ``Catalogue`` says.
public protocol Photos: Sendable {
    /// The animal's picture, byte by byte as the vendor has it, of any size from 0 bytes (BIN-01).
    ///
    /// The animal's id is the only key: an address that the vendor signs or lets expire never leaves the adapter.
    ///
    /// - Throws: `notFound` where the animal or its picture does not exist; `truncated` if the connection ended early,
    ///   never a part of a picture.
    func photo(of id: AnimalID) async throws -> Photo
}
