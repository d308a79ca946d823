/// Port: animals' pictures.
///
/// Isolation, cancellation and errors as ``Catalogue`` says.
public protocol Photos: Sendable {
    /// The animal's picture, byte by byte as the vendor has it, of any size from 0 bytes (BIN-01), picture or not
    /// (BIN-07).
    ///
    /// The animal's id is the only key: an address that the vendor signs or lets expire never leaves the adapter, and a
    /// picture that is on the device already is not downloaded again (D7, GET-08). The vendor is asked each time whether it
    /// is still the picture: what is returned is never older than the call, whatever the SDK's cache would give (D8).
    ///
    /// - Throws: `notFound` where the animal or its picture does not exist; `truncated` if the connection ended early,
    ///   never a part of a picture (BIN-02).
    func photo(of id: AnimalID) async throws -> Photo
}
