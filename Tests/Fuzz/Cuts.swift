/// Ways to split the same input into blocks.
enum Cuts {
    /// Whole, in two and in short blocks at positions determined by the input, and byte by byte if it is short.
    static func all(of input: [UInt8]) -> [[ArraySlice<UInt8>]] {
        // FNV-1a.
        let hash = input.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let middle = Int(hash % UInt64(input.count + 1))
        return [
            [input[...]],
            [input[..<middle], [], input[middle...]],
            blocks(of: input, size: input.count > 64 ? 2 + Int(hash >> 32) % 14 : 1),
        ]
    }

    private static func blocks(of input: [UInt8], size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: input.count, by: size).map { input[$0..<min($0 + size, input.count)] }
    }
}

/// Traps if a property does not hold: libFuzzer keeps the input of a crash.
func require(_ condition: Bool, _ property: @autoclosure () -> String) {
    if !condition { fatalError(property()) }
}
