import AllocatedBytes
import CofferdamStore

/// Measures the memory of a listener, of a model and of an edge from a model to its child, by the allocator's
/// statistics.
func storeMemoryRows() -> [Measurement] {
    guard allocated_bytes() > 0 else { return [] }
    let count = 100_000
    return [
        ("memory.perListener", bytesPerListener(count)), ("memory.perNode", bytesPerNode(count)),
        ("memory.perEdge", bytesPerEdge(count)),
    ].map { Measurement.row($0, $1, "bytes", samples: count) }
}

/// Includes the token, but not the closure's captures.
private func bytesPerListener(_ count: Int) -> Double {
    let store = Store()
    store.set(Record(id: 1, value: 0))
    var tokens: [StoreListenerToken] = []
    tokens.reserveCapacity(count)
    let bytes = grownBytes {
        for _ in 0..<count { tokens.append(store.listen(Record.self, id: 1) { _ in }) }
    }
    return withExtendedLifetime(tokens) { bytes / Double(count) }
}

private func bytesPerNode(_ count: Int) -> Double {
    let store = Store()
    let bytes = grownBytes { for id in 0..<count { store.set(Record(id: id, value: 0)) } }
    return withExtendedLifetime(store) { bytes / Double(count) }
}

/// Counts both directions, in models with 16 shared children: the additional memory over the same models with unknown
/// children.
private func bytesPerEdge(_ count: Int) -> Double {
    func bytes(areKnown: Bool) -> Double {
        let store = Store()
        let records = (0..<1000).map { Record(id: $0, value: 0) }
        store.set(records)
        let bytes = grownBytes {
            for id in 0..<(count / 16) {
                let children = (0..<16).map { records[(16 * id + $0) % records.count] }
                store.set(Basket(id: id, records: children, areKnown: areKnown))
            }
        }
        return withExtendedLifetime(store) { bytes }
    }
    return (bytes(areKnown: true) - bytes(areKnown: false)) / Double(count)
}

private struct Basket: StoreModel {
    var id: Int
    var records: [Record]
    var areKnown: Bool

    func mappingChildren(_ children: inout ChildMapper) -> Basket? {
        areKnown ? Basket(id: id, records: children.each(records), areKnown: true) : self
    }
}

private func grownBytes(_ body: () -> Void) -> Double {
    let before = allocated_bytes()
    body()
    return Double(allocated_bytes()) - Double(before)
}
