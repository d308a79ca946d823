/// The regularized incomplete beta function Iₓ(a, b): the probability that a Beta(a, b) variable is below x, for
/// positive a and b.
///
/// Evaluates the continued fraction of DLMF 8.17.22 by Lentz's method, as in Press and others, "Numerical Recipes" 6.4.
/// The number of steps is of the order of √max(a, b).
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
    // Up to a, b of 10⁹, full precision needs no more steps. Beyond that, the limit keeps bad input from taking hours.
    let maxSteps = 1000 + Int(min(1e5, 10 * max(a, b).squareRoot()))
    for step in 1...maxSteps {
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

/// The quantile of the Beta(a, b) distribution: the x at which Iₓ(a, b) is `probability`. Uses Newton's method, and
/// bisection where a Newton step would leave the bracket.
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
        // Done if the step is below the last digits, or the bracket cannot be bisected further.
        guard abs(next - x) > 1e-15 * x, next > low, next < high else { return next }
        x = next
    }
    return x
}

/// The logarithm of the beta function, ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b), for a, b > 0.
///
/// The large terms cancel analytically before the sum, as in Didonato and Morris, "Algorithm 708" (ACM TOMS 18, 1992),
/// so the error is about 1e-14 × max(1, |ln B(a, b)|), even with b in the millions.
///
/// - Returns: NaN unless a > 0 and b > 0.
package func logBeta(_ a: Double, _ b: Double) -> Double {
    guard a > 0, b > 0 else { return .nan }
    var (small, large) = a < b ? (a, b) : (b, a)
    // B(a, b) = B(a + 1, b)·(a + b)/a
    var ratio = 1.0
    while small < stirlingStart {
        ratio *= (small + large) / small
        small += 1
    }
    while large < stirlingStart {
        ratio *= (small + large) / large
        large += 1
    }
    let correction =
        stirlingCorrection(small) + stirlingCorrection(large) - stirlingCorrection(small + large)
    return ln(ratio) + halfLogTwoPi - 0.5 * ln(large) + correction
        + (small - 0.5) * ln(small / (small + large)) - large * ln1p(small / large)
}

private let halfLogTwoPi = 0.918_938_533_204_672_741_8
private let stirlingStart = 10.0

/// The remainder of Stirling's formula: Σ B₂ₖ / (2k(2k−1)x²ᵏ⁻¹) for k from 1 to 7, for x ≥ 10.
private func stirlingCorrection(_ x: Double) -> Double {
    let square = 1 / (x * x)
    var sum = 1 / 156.0
    sum = sum * square - 691 / 360_360.0
    sum = sum * square + 1 / 1188.0
    sum = sum * square - 1 / 1680.0
    sum = sum * square + 1 / 1260.0
    sum = sum * square - 1 / 360.0
    sum = sum * square + 1 / 12.0
    return sum / x
}
