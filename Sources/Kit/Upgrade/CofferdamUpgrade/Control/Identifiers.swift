extension String {
    /// Returns 128 random bits in hexadecimal digits.
    package static func randomID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in random.next().hexadecimal }.joined()
    }
}
