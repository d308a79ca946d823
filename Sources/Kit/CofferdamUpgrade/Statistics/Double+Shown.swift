/// Numbers for people; nothing is computed from them again.
extension Double {
    /// Always that many digits after the point, so that columns line up.
    package func shown(_ digits: Int) -> String {
        let text = "\(rounded(to: digits))"
        // Huge, tiny and odd numbers are written by an exponent or a word: as they are.
        guard let point = text.firstIndex(of: "."), !text.contains("e") else { return text }
        let missing = digits - text.distance(from: point, to: text.endIndex) + 1
        return text + String(repeating: "0", count: max(0, missing))
    }

    /// A rate with four digits that count: 0.003308.
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
