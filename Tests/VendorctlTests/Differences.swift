#if Sandbox
/// The output of `drift --json` and `tapes compare --json`.
struct Differences: Decodable {
    struct Call: Decodable {
        let name: String
        let compared: Int
    }
    struct Drift: Decodable {
        let tier: String
        let id: String?
        let call: String
        let path: String
    }

    let calls: [Call]
    let drifts: [Drift]

    /// The declared ones among them.
    var ids: Set<String> { Set(drifts.compactMap(\.id)) }

    /// Those that are not declared, or are more than information.
    var unexpected: [Drift] { drifts.filter { $0.id == nil || $0.tier != "info" } }
}
#endif
