#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A text that must not appear on a tape or in an error, in any of the forms in which it may be encoded.
struct Secret: Sendable {
    let name: String
    let bytes: [UInt8]

    /// What ERR-06 types in place of a secret: no other text contains it, and each encoding changes it.
    static let mistyped = "mistyped pässword+7"

    init(name: String, value: String) {
        self.name = name
        bytes = Array(value.utf8)
    }

    /// Returns the text with each occurrence of the secret replaced by a placeholder that names it.
    ///
    /// Occurrences in base64 stay, because a replacement would corrupt a picture, for example; ``isFound(in:)`` finds
    /// them.
    func replaced(in text: String) -> String {
        // Compares bytes, because a combining accent after the secret would hide its last letter.
        var text = Array(text.utf8)
        let forms = [bytes] + [true, false].flatMap { [percentEncoded(isUpper: $0), hex(isUpper: $0)] }
        for form in forms where text.holds(form) { text.replace(form, with: Array("[redacted \(name)]".utf8)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the text, which may be a JSON document, contains the secret: as it is, JSON-escaped, percent-encoded, in
    /// hex of either case, or within base64 of either alphabet.
    func isFound(in document: SearchedText) -> Bool {
        document.plain.holds(bytes) || document.plain.holds(jsonEscaped)
            || document.percentDecoded.holds(bytes)
            || document.lowercased.holds(hex(isUpper: false))
            || base64Forms.contains { document.base64.holds($0) }
    }

    /// The forms in which careless code writes the secret, with their names; for mutants.
    var forms: [(name: String, text: String)] {
        [
            ("as it is", bytes), ("percent-encoded", bytes.flatMap { [37] + Self.hex($0, isUpper: true) }),
            ("in hex", hex(isUpper: false)),
            // As in HTTP's basic authentication.
            ("in base64", Array(Data(Array("user:".utf8) + bytes).base64EncodedData())),
        ].map { ($0, String(decoding: $1, as: UTF8.self)) }
    }

    private func hex(isUpper: Bool) -> [UInt8] { bytes.flatMap { Self.hex($0, isUpper: isUpper) } }

    private static func hex(_ byte: UInt8, isUpper: Bool) -> [UInt8] {
        let digits = Array((isUpper ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Percent-encodes everything but RFC 3986's unreserved characters: letters, digits and "-._~".
    func percentEncoded(isUpper: Bool) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            let isUnreserved =
                switch byte {
                case 48...57, 65...90, 97...122, 45, 46, 95, 126: true
                default: false
                }
            return isUnreserved ? [byte] : [37] + Self.hex(byte, isUpper: isUpper)
        }
    }

    private var jsonEscaped: [UInt8] {
        // A text can always be encoded.
        guard let data = try? JSONEncoder.tape(isPretty: true).encode(String(decoding: bytes, as: UTF8.self)) else {
            return bytes
        }
        return Array(data.dropFirst().dropLast())
    }

    /// The secret in base64 after 0, 1 or 2 other bytes: only the digits that encode nothing else.
    private var base64Forms: [[UInt8]] {
        (0..<3).compactMap { offset in
            let encoded = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedData()
            let first = (offset * 8 + 5) / 6
            let end = (offset + bytes.count) * 8 / 6
            return first < end ? Array(encoded[first..<end]) : nil
        }
    }
}

/// A tape's bytes or an error's text, prepared for the search for secrets.
struct SearchedText {
    let plain: [UInt8]
    let lowercased: [UInt8]
    let percentDecoded: [UInt8]
    /// With the URL-safe alphabet's two special digits replaced by the standard ones.
    let base64: [UInt8]

    init(_ bytes: [UInt8]) {
        plain = bytes
        lowercased = bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
        base64 = bytes.map { $0 == 45 ? 43 : $0 == 95 ? 47 : $0 }
        percentDecoded = Self.percentDecoded(bytes)
    }

    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 37, index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index] == 43 ? 32 : bytes[index])  // "+" is a form's space
                index += 1
            }
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

extension [UInt8] {
    /// Whether it contains these bytes. The standard library's `contains` is about a hundred times slower.
    fileprivate func holds(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: bytes) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
