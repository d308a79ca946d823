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
    /// `progress` is told how much has come, one word at a time, on any thread, and never after this has returned or
    /// thrown (BIN-05). It never goes back: neither the bytes nor the fraction. ``PhotoProgress/fraction`` is 1 exactly
    /// once, as the last word, when the picture is about to be returned: whole, and kept on the device if it is to be.
    /// That is so of a picture of 0 bytes, and of one that was on the device already, of which it is the only word; in it
    /// `completed` and `total` are the same. A picture that is not returned never was at 1, even if all its bytes had
    /// come. Where the vendor does not say how many will come, `total` is nil until the last word. It must be quick, and
    /// must not wait.
    ///
    /// - Throws: `notFound` where the animal or its picture does not exist; `truncated` if the connection ended early,
    ///   never a part of a picture (BIN-02).
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo
}

extension Photos {
    /// The picture, for who does not want to know how far it is.
    public func photo(of id: AnimalID) async throws -> Photo { try await photo(of: id, progress: { _ in }) }
}
