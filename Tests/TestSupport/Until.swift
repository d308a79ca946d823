package import Testing

/// Yields to other tasks until the condition holds. It gives up after many turns rather than after some time.
package func until(_ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    for _ in 0..<1_000_000 {
        if await condition() { return }
        await Task.yield()
    }
    Issue.record("the condition never held", sourceLocation: sourceLocation)
}

package struct TestError: Error, Hashable {
    package var name: String
    package init(_ name: String) { self.name = name }
}
