import Foundation

/// The amount of random testing: little in a normal run, more in `./dev soak`.
package enum Soak {
    package static func number(_ variable: String, default usual: UInt64) -> UInt64 {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) } ?? usual
    }

    /// The seeds of random programs: six by default; the environment sets the first seed and the number.
    package static var seeds: ClosedRange<UInt64> {
        let first = number("COFFERDAM_SOAK_SEED", default: 1)
        return first...(first + number("COFFERDAM_SOAK_PROGRAMS", default: 6) - 1)
    }
}
