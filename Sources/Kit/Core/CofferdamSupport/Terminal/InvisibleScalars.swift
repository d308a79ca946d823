extension Unicode.Scalar {
    /// Whether a page must show its code, because it is invisible itself, and may hide or reorder what stands beside it.
    package var isInvisible: Bool { isForbidden || isFormat }

    /// "U+202E".
    package var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Emoji and several scripts need joiners.
    package var isFormat: Bool {
        guard value >= 0xAD, value != 0x200C, value != 0x200D else { return false }
        return switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether neither HTML nor XML may contain it: C0, DEL, C1 and the two noncharacters that XML names.
    package var isForbidden: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0xFFFE || value == 0xFFFF
    }
}
