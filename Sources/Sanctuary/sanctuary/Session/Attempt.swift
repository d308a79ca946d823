#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Names an attempt to change something, so that the same one can be told from another.
enum Attempt {
    static func newKey() -> String { UUID().uuidString.lowercased() }
}
