import Foundation

/// The platform's functions, to compare the target's own with.
enum Power {
    static func log(_ x: Double) -> Double { Foundation.log(x) }
    static func exp(_ x: Double) -> Double { Foundation.exp(x) }
}
