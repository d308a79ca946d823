/// An adapter of another build: its cases run in that build's processes, and this process contains none of its code.
package struct AdapterElsewhere: Sendable {
    package let description: AdapterDescription
    package let isolation: CaseIsolation

    /// - Parameter description: names the other build as its process.
    package init(_ description: AdapterDescription, isolation: CaseIsolation) {
        self.description = description
        self.isolation = isolation
    }
}
