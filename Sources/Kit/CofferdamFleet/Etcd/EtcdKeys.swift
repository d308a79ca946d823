/// The keys of one capability: "/apps/shop/catalogue/state", "…/kill", "…/audit/ID".
///
/// "/" and "%" in a name are "%2F" and "%25", so that no capability lies within another one.
struct EtcdKeys: Sendable {
    let state: String
    /// By hand too: `{"target": "legacy"}`.
    let kill: String
    private let audit: String

    init(_ capability: String, prefix: String) {
        let base = (prefix.hasSuffix("/") ? prefix : prefix + "/") + Self.escaped(capability)
        state = base + "/state"
        kill = base + "/kill"
        audit = base + "/audit/"
    }

    func audit(_ id: String) -> String { audit + Self.escaped(id) }

    /// All lines of the log; "0" follows on "/".
    var wholeAudit: Range<String> { audit..<audit.dropLast() + "0" }
    /// The kill switch and the state, which are next to each other.
    var watched: Range<String> { kill..<state + "\0" }

    private static func escaped(_ name: String) -> String {
        var text = ""
        for character in name.unicodeScalars {
            switch character {
            case "/": text += "%2F"
            case "%": text += "%25"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
