/// The colours of one scheme, as `#rrggbb`. Text has a contrast of at least 4.5 against its background, and the borders
/// of controls at least 3 (WCAG 2.2, level AA).
package struct Palette: Sendable, Hashable {
    /// Behind everything.
    package let background: String
    /// Behind a section.
    package let surface: String
    package let text: String
    package let muted: String
    /// Borders of controls, axes.
    package let line: String
    /// Purely decorative borders.
    package let hairline: String
    package let accent: String
    package let good: String
    package let bad: String
    package let warn: String
    package let accentTint: String
    package let goodTint: String
    package let badTint: String
    package let warnTint: String

    package static let light = Palette(
        background: "#f4f6f8",
        surface: "#ffffff",
        text: "#16191d",
        muted: "#535c66",
        line: "#7b848f",
        hairline: "#d8dee4",
        accent: "#0b57c2",
        good: "#0a6430",
        bad: "#a8071a",
        warn: "#7a4a00",
        accentTint: "#e6effc",
        goodTint: "#e2f4e8",
        badTint: "#fdeaea",
        warnTint: "#fcf0d6"
    )

    package static let dark = Palette(
        background: "#0e1114",
        surface: "#171b20",
        text: "#e8ebee",
        muted: "#a5aeb8",
        line: "#76808b",
        hairline: "#2d343c",
        accent: "#8ab8ff",
        good: "#74dc94",
        bad: "#ff9d9d",
        warn: "#ffcf70",
        accentTint: "#16294b",
        goodTint: "#12301d",
        badTint: "#3d1a1d",
        warnTint: "#362a10"
    )

    var variables: String {
        """
        --background: \(background); --surface: \(surface); --text: \(text); --muted: \(muted); --line: \(line);
          --hairline: \(hairline); --accent: \(accent); --good: \(good); --bad: \(bad); --warn: \(warn);
          --accent-tint: \(accentTint); --good-tint: \(goodTint); --bad-tint: \(badTint); --warn-tint: \(warnTint);
        """
    }
}

/// The tone of a text. Its words convey the same: no meaning is in colour alone.
package enum Tone: String, Sendable, Hashable {
    case good, bad, warn, accent, muted
}
