/// ln Γ(x) for x > 0, to about 1e-15 of its size.
///
/// Stirling's series with its correction (DLMF 5.11.1) from 10 on; below, Γ(x + 1) = xΓ(x) (DLMF 5.5.1) leads there. An own
/// form rather than the platform's `lgamma`, whose last digits differ between systems.
///
/// - Returns: NaN unless x > 0.
public func logGamma(_ x: Double) -> Double {
    guard x > 0 else { return .nan }
    var (x, product) = (x, 1.0)
    while x < stirlingStart {
        product *= x
        x += 1
    }
    return (x - 0.5) * ln(x) - x + halfLogTwoPi + stirlingCorrection(x) - ln(product)
}

/// ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b) for a, b > 0.
///
/// The large terms cancel before they are added up, as in Didonato and Morris, "Algorithm 708" (ACM TOMS 18, 1992): what
/// is left is exact to about 1e-14 of itself, also with b in the millions.
///
/// - Returns: NaN unless a > 0 and b > 0.
public func logBeta(_ a: Double, _ b: Double) -> Double {
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

/// What Stirling's formula lacks: Σ B₂ₖ / (2k(2k−1)x²ᵏ⁻¹), for x ≥ 10.
private func stirlingCorrection(_ x: Double) -> Double {
    let square = 1 / (x * x)
    let terms = [1 / 12.0, -1 / 360.0, 1 / 1260.0, -1 / 1680.0, 1 / 1188.0, -691 / 360_360.0, 1 / 156.0]
    return terms.reversed().reduce(0) { $0 * square + $1 } / x
}
