import Foundation

/// The platform's functions, with which the target's own are compared.
enum Power {
    static func log(_ x: Double) -> Double { Foundation.log(x) }
    static func exp(_ x: Double) -> Double { Foundation.exp(x) }
}
