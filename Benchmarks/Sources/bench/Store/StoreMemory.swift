import CofferdamStore

#if os(Linux)
    /// What a listener, a model and an edge from a model to what it holds weigh, by what the process has grown in memory.
    func storeMemoryRows() -> [Measurement] {
        let count = 200_000
        var memory = StoreMemory(count: count)
        return [
            ("memory.perListener", memory.bytesPerListener()),
            ("memory.perNode", memory.bytesPerNode()),
            ("memory.perEdge", memory.bytesPerEdge()),
        ].map { Measurement.row($0, $1, "bytes", samples: count) }
    }

    private struct StoreMemory {
        let count: Int
        /// All are kept until the end, so that none takes the place of another.
        private var kept: [Any] = []

        init(count: Int) { self.count = count }

        /// With its token, but not what its closure captures.
        mutating func bytesPerListener() -> Double {
            let store = Store()
            store.set(Record(id: 1, value: 0))
            var tokens: [StoreListening] = []
            tokens.reserveCapacity(count)
            let bytes = grownBytes {
                for _ in 0..<count { tokens.append(store.listen(Record.self, id: 1) { _ in }) }
            }
            kept.append(tokens)
            // The array's own share was reserved, and not touched, before.
            return bytes / Double(count) - Double(MemoryLayout<StoreListening>.stride)
        }

        mutating func bytesPerNode() -> Double {
            let store = Store()
            kept.append(store)
            return grownBytes { for id in 0..<count { store.set(Record(id: id, value: 0)) } } / Double(count)
        }

        /// Both ways, in models of 16 children that are in many: more than the same models weigh whose children are unknown.
        mutating func bytesPerEdge() -> Double {
            (bytesOfBaskets(areKnown: true) - bytesOfBaskets(areKnown: false)) / Double(count)
        }

        private mutating func bytesOfBaskets(areKnown: Bool) -> Double {
            let store = Store()
            kept.append(store)
            let records = (0..<1000).map { Record(id: $0, value: 0) }
            store.set(records)
            return grownBytes {
                for id in 0..<(count / 16) {
                    let children = (0..<16).map { records[(16 * id + $0) % records.count] }
                    store.set(Basket(id: id, records: children, areKnown: areKnown))
                }
            }
        }

        private func grownBytes(_ body: () -> Void) -> Double {
            let before = residentBytes
            body()
            return residentBytes - before
        }
    }

    private struct Basket: StoreModel {
        var id: Int
        var records: [Record]
        var areKnown: Bool

        func mappingChildren(_ children: inout ChildMapper) -> Basket? {
            areKnown ? Basket(id: id, records: children.each(records), areKnown: true) : self
        }
    }
#else
    func storeMemoryRows() -> [Measurement] { [] }
#endif
