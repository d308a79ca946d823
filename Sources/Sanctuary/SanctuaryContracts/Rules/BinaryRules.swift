import CofferdamContracts
import SanctuaryDomain

/// BIN: bytes.
enum BinaryRules {
    static let all: [Rule<SanctuarySubject>] = [byteByByte]

    private static let byteByByte = Rule<SanctuarySubject>(
        "BIN-01",
        "A picture arrives byte by byte as the vendor has it, from 0 bytes to a million, all values of a byte"
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.empty)
        let id = try await subject.probe.addAnimal(AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1))
        for size in [0, 1, 65_535, 65_536, 65_537, 1_000_000] {
            let bytes = pattern(size)
            try await subject.probe.setPhoto(bytes, of: id)
            let photo = try await subject.services.photos.photo(of: id)
            guard photo.bytes != bytes else { continue }
            let place = zip(photo.bytes, bytes).enumerated().first { $1.0 != $1.1 }?.offset
            findings.add(
                "\(size) bytes: got \(photo.bytes.count), first difference at \(place.map(String.init) ?? "the end")"
            )
        }
        return findings.violations
    }

    /// Every value of a byte, in an order that no other length repeats: high values first.
    private static func pattern(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: 255 &- $0 &- ($0 >> 8) &* 7) }
    }
}
