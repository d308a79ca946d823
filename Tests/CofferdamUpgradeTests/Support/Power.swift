import Foundation

/// The platform's functions, to hold the target's own against.
enum Power {
    static func log(_ x: Double) -> Double { Foundation.log(x) }
    static func exp(_ x: Double) -> Double { Foundation.exp(x) }
}
