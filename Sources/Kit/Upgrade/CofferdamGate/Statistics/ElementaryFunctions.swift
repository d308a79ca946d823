// The only file of the target that needs the platform's math library.
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The natural logarithm.
func ln(_ x: Double) -> Double { log(x) }

/// ln(1 + x), accurate for small x too.
func ln1p(_ x: Double) -> Double { log1p(x) }

/// eˣ.
func exponential(_ x: Double) -> Double { exp(x) }

/// eˣ − 1, accurate for small x too.
func exponentialMinus1(_ x: Double) -> Double { expm1(x) }

/// k·ln p, with 0·ln 0 = 0, as in the likelihood of an outcome that did not occur.
func weighted(_ count: Int, _ logarithm: @autoclosure () -> Double) -> Double {
    count == 0 ? 0 : Double(count) * logarithm()
}
