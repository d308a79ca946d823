import CofferdamContracts
import SanctuaryDomain

/// The rules' table for the port that transfers bytes. Nothing is uploaded.
enum Binaries {
    static let rules = (photo.rules.map { $0.of("photo") } + BinaryUpload<SanctuarySubject>.rules(of: nil))
        .sorted { $0.id < $1.id }
    static let mutants = photo.mutants.map { $0.of("photo") }

    private static let photo = BinaryOperation(
        call: PortCall<SanctuarySubject, AnimalID, [UInt8]>(
            "photo",
            get: { subject in { try await SanctuaryCalls.photo(subject, $0).bytes } },
            replace: { subject, perform in
                SanctuaryCalls.photo.replaced(in: subject) { _, id in
                    Photo(bytes: try await perform(id), mediaType: "image/bmp")
                }
            }
        ),
        seed: { subject, bytes in
            let id = try await subject.probe.addAnimal(.cat)
            try await subject.probe.setPhoto(bytes, of: id)
            return id
        },
        vendor: BinaryEvidence(
            inject: { try await $0.probe.inject($1, on: .photo, times: 1) },
            waitForHeld: { try await $0.probe.waitForHeld(exactly: $1) },
            files: SanctuaryCalls.files
        ),
        isPortError: { $0 is SanctuaryError },
        isTruncated: { SanctuaryError.isCode(.truncated, $0) },
        nonsense: .passedOn,
        progress: BinaryProgress(call: SanctuaryCalls.photoProgress, capability: Capability.progress.tag)
    )
}
