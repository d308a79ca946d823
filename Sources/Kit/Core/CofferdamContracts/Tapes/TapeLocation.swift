/// Where the tape of one test, or of one of its cases, is stored: no two share a location.
public struct TapeLocation: Sendable, Hashable {
    /// "GreetingTests/says hello (case: kenji)".
    let title: String
    package let path: String

    /// Locates the tape of a test.
    ///
    /// - Parameters:
    ///   - directory: the directory of the tapes.
    ///   - test: the test's identifier.
    ///   - testCase: the case of the test; nil if there is only one.
    public init(directory: String, test: String, testCase: String? = nil) {
        title = testCase.map { "\(test) (case: \($0))" } ?? test
        path = "\(directory)/\(Self.fileName(title)).tape.json"
    }

    /// Returns a readable name that is unique to the title: characters that every file system accepts, and a digest of
    /// the whole title.
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
