/// Numbers as text for people; nothing is computed from these texts.
extension Double {
    /// Returns the number with exactly `digits` digits after the decimal point, so that columns line up.
    package func shown(_ digits: Int) -> String {
        let text = "\(rounded(to: digits))"
        // A number with an exponent, or one that is not finite, stays as it is.
        guard let point = text.firstIndex(of: "."), !text.contains("e") else { return text }
        let missing = digits - text.distance(from: point, to: text.endIndex) + 1
        return text + String(repeating: "0", count: max(0, missing))
    }

    /// The rate with four significant digits: 0.003308.
    package var shownAsRate: String {
        var (digits, size) = (4, abs(self))
        while size > 0, size < 1, digits < 18 {
            size *= 10
            digits += 1
        }
        return "\(rounded(to: digits - 1))"
    }

    private func rounded(to digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }
}
