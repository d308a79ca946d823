package import Foundation  // its coders

extension JSONEncoder {
    /// - Parameter isForPeople: true for a file, false for a database row.
    package static func ofUpgrades(isForPeople: Bool) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            isForPeople ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return encoder
    }
}

extension JSONDecoder {
    package static var ofUpgrades: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return decoder
    }
}
