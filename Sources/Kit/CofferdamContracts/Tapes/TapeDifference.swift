/// One field in which a call is not the one that was recorded.
struct TapeDifference: Sendable, Hashable, CustomStringConvertible {
    let path: TapePath
    /// Nil: the field is not there.
    let recorded: String?
    let called: String?

    var description: String {
        "\(path): recorded \(recorded ?? "nothing"), called with \(called ?? "nothing")"
    }

    /// Every field that differs, in the order of their paths.
    static func between(_ recorded: TapeValue, _ called: TapeValue, at path: TapePath) -> [TapeDifference] {
        switch (recorded, called) {
        case (.object(let old), .object(let new)):
            Set(old.keys).union(new.keys).sorted().flatMap { key in
                between(old[key], new[key], at: path.appending(key))
            }
        case (.array(let old), .array(let new)):
            (0..<max(old.count, new.count)).flatMap { index in
                between(
                    index < old.count ? old[index] : nil,
                    index < new.count ? new[index] : nil,
                    at: path.appending(index)
                )
            }
        case _ where recorded == called: []
        default: [TapeDifference(path: path, recorded: recorded.summary, called: called.summary)]
        }
    }

    private static func between(_ recorded: TapeValue?, _ called: TapeValue?, at path: TapePath) -> [TapeDifference] {
        if let recorded, let called { return between(recorded, called, at: path) }
        return [TapeDifference(path: path, recorded: recorded?.summary, called: called?.summary)]
    }
}
