/// Where the tape of one test, or of one case of it, lies: no two share one.
public struct TapeLocation: Sendable, Hashable {
    /// "GreetingTests/says hello (case: kenji)".
    let title: String
    package let path: String

    /// - Parameters:
    ///   - directory: of the tapes.
    ///   - test: the test's identifier.
    ///   - testCase: which of its cases; nil if it has one.
    public init(directory: String, test: String, testCase: String? = nil) {
        title = testCase.map { "\(test) (case: \($0))" } ?? test
        path = "\(directory)/\(Self.fileName(title)).tape.json"
    }

    /// Readable, and for each title another one: what no file system minds, and a digest of the whole.
    private static func fileName(_ title: String) -> String {
        let name = title.utf8.map { byte -> UInt8 in
            switch byte {
            case 48...57, 65...90, 97...122: byte
            default: 45
            }
        }
        // FNV-1a, https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
        let digest = title.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let words = String(decoding: name, as: UTF8.self).split(separator: "-").joined(separator: "-")
        return "\(words.prefix(80))-\(String(digest, radix: 16))"
    }
}
