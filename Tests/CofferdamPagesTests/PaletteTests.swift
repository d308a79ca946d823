import CofferdamPages
import Foundation
import Testing

struct PaletteTests {
    @Test(arguments: [Palette.light, Palette.dark])
    func `every text has the contrast that WCAG 2.2 AA asks for`(_ palette: Palette) throws {
        let texts = [palette.text, palette.muted, palette.good, palette.bad, palette.warn, palette.accent]
        for ground in [palette.background, palette.surface] {
            for text in texts { #expect(try contrast(text, ground) >= 4.5, "\(text) on \(ground)") }
            #expect(try contrast(palette.line, ground) >= 3, "\(palette.line) on \(ground)")
        }
        let tints = [
            (palette.good, palette.goodTint), (palette.bad, palette.badTint), (palette.warn, palette.warnTint),
            (palette.accent, palette.accentTint),
        ]
        for (text, tint) in tints {
            #expect(try contrast(text, tint) >= 4.5, "\(text) on \(tint)")
            #expect(try contrast(palette.text, tint) >= 4.5, "text on \(tint)")
        }
    }

    @Test func `the style has both schemes and loads nothing`() {
        #expect(StyleSheet.text.contains("prefers-color-scheme: dark"))
        #expect(StyleSheet.text.contains("--surface: \(Palette.dark.surface)"))
        for word in ["url(", "@import", "http", "<"] { #expect(!StyleSheet.text.contains(word)) }
    }
}

/// Contrast of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
private func contrast(_ a: String, _ b: String) throws -> Double {
    func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour.dropFirst(), radix: 16))
        let linear = [16, 8, 0].map { shift -> Double in
            let value = Double((number >> shift) & 255) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let (first, second) = (try luminance(a), try luminance(b))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}
