/// Iₓ(a, b), the share of the Beta(a, b) distribution below x, for a, b > 0.
///
/// The continued fraction of DLMF 8.17.22, evaluated by Lentz's method as in Press and others, "Numerical Recipes" 6.4:
/// a number of steps of the order of √max(a, b).
func regularizedIncompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard a > 0, b > 0, x >= 0, x <= 1 else { return .nan }
    if x == 0 || x == 1 { return x }
    // The fraction converges fast below the mean; above it, Iₓ(a, b) = 1 − I₁₋ₓ(b, a).
    return x <= (a + 1) / (a + b + 2) ? incompleteBetaFraction(x, a, b) : 1 - incompleteBetaFraction(1 - x, b, a)
}

private func incompleteBetaFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let front = exponential(a * ln(x) + b * ln1p(-x) - logBeta(a, b)) / a
    let tiny = 1e-300
    func kept(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
    var numerator = 1.0
    var denominator = 1 / kept(1 - (a + b) * x / (a + 1))
    var fraction = denominator
    let most = 1000 + Int(min(1e6, 10 * max(a, b).squareRoot()))
    for step in 1...most {
        let m = Double(step)
        let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / kept(1 + even * denominator)
        numerator = kept(1 + even / numerator)
        fraction *= denominator * numerator
        let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        denominator = 1 / kept(1 + odd * denominator)
        numerator = kept(1 + odd / numerator)
        let change = denominator * numerator
        fraction *= change
        if abs(change - 1) < 1e-15 { break }
    }
    return min(1, front * fraction)
}

/// The x at which Iₓ(a, b) is `probability`: by Newton's steps, and by halving where one would leave what is known.
func betaQuantile(_ probability: Double, _ a: Double, _ b: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    var x = a / (a + b)
    let logarithm = logBeta(a, b)
    for _ in 0..<200 {
        let excess = regularizedIncompleteBeta(x, a, b) - probability
        if excess < 0 { low = x } else { high = x }
        let density = exponential((a - 1) * ln(x) + (b - 1) * ln1p(-x) - logarithm)
        var next = x - excess / density
        if !(next > low && next < high) { next = low + (high - low) / 2 }
        // Where Newton's step is below the last digits, or nothing is left to halve.
        guard abs(next - x) > 1e-15 * x, next > low, next < high else { return next }
        x = next
    }
    return x
}
