#if Fleet
/// The keys of one capability: "/apps/shop/catalogue/state", "…/kill", "…/audit/ID".
///
/// "/" and "%" in a name become "%2F" and "%25", so that no capability's keys lie within another's.
struct EtcdKeys: Sendable {
    let state: String
    /// May also be written by hand: `{"target": "legacy"}`.
    let kill: String
    private let audit: String

    init(_ capability: String, prefix: String) {
        let base = (prefix.hasSuffix("/") ? prefix : prefix + "/") + Self.escaped(capability)
        state = base + "/state"
        kill = base + "/kill"
        audit = base + "/audit/"
    }

    func audit(_ id: String) -> String { audit + Self.escaped(id) }

    /// All entries of the log; "0" is the character after "/".
    var wholeAudit: Range<String> { audit..<audit.dropLast() + "0" }
    /// The kill switch and the state, which are next to each other.
    var watched: Range<String> { kill..<state + "\0" }

    /// The keys of a receiver of the audit logs: whose turn it is to send to it, and where it stands. No capability's keys begin so,
    /// because its "%" would be escaped.
    static func receiver(_ name: String, prefix: String) -> (turn: String, place: String) {
        let base = (prefix.hasSuffix("/") ? prefix : prefix + "/") + "%receivers/" + escaped(name)
        return (base + "/turn", base + "/place")
    }

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
#endif
