/// A digest of the ports' sources, which shows whether a side and an app were compiled against the same sources.
///
/// The ports' package declares it as a constant that is compiled into each module that uses it:
///
/// ```swift
/// @_alwaysEmitIntoClient public var settingsPortsDigest: String { "5ad1f6b3c09e4472" }
/// ```
///
/// The attribute matters. A plain constant is in the ports' library, which a process loads once: the side would read
/// the app's digest, and the two would always agree. A test in the ports' package compares the constant with
/// ``of(sources:)``, so that it fails until the constant is updated after a change of the ports.
///
/// The digest has limits. It changes with every change of the text, even in a comment. It does not cover what the
/// ports' sources are compiled with: traits, compile conditions, or the packages that they import. Ports that import
/// nothing need no more; otherwise add the versions of the packages to `sources` under a name of your own.
public enum PortsDigest {
    /// Returns the digest of sources: 64 bits of FNV-1a over their names and texts, in hexadecimal. It detects
    /// mistakes; it does not resist an attacker.
    ///
    /// Line ends, and blanks before them, are ignored, because they differ between checkouts.
    ///
    /// - Parameter sources: the text of each source file by its name, without the file that declares the digest.
    public static func of(sources: [String: String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
            name.utf8.forEach(add)
            add(0)
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                let last = line.lastIndex { !$0.isWhitespace }
                last.map { line[...$0] }?.utf8.forEach(add)
                add(0x0a)
            }
            add(0)
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
