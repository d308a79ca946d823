import SettingsPorts
internal import Yams

/// A profile as it is stored in YAML.
struct ProfileDocument: Codable {
    var title: String
    var theme: String?
    var fontSize: ExactNumber?
    var launches: Int?
    var isBeta: Bool?
    var note: String?
    var tags: [String]?
    var shortcuts: [String: String]?

    enum CodingKeys: CodingKey {
        case title, theme, fontSize, launches, isBeta, note, tags, shortcuts
    }

    init(_ profile: Profile) {
        title = profile.title
        theme =
            switch profile.theme {
            case .light: "light"
            case .dark: "dark"
            case .system: "system"
            case .other(let name): name
            }
        fontSize = ExactNumber(value: profile.fontSize)
        launches = profile.launches
        isBeta = profile.isBeta
        note = profile.note
        tags = profile.tags
        shortcuts = profile.shortcuts
    }

    var profile: Profile {
        let theme: Theme? = theme.map {
            switch $0 {
            case "light": .light
            case "dark": .dark
            case "system": .system
            default: .other($0)
            }
        }
        let standard = Profile(title: title)
        return Profile(
            title: title,
            theme: theme ?? standard.theme,
            fontSize: fontSize?.value ?? standard.fontSize,
            launches: launches ?? standard.launches,
            isBeta: isBeta ?? standard.isBeta,
            note: note,
            tags: tags ?? standard.tags,
            shortcuts: shortcuts ?? standard.shortcuts
        )
    }
}

/// A number with all its digits: Yams would write only 15, and lose the rest.
struct ExactNumber: Codable, YAMLEncodable {
    var value: Double

    init(value: Double) { self.value = value }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// The number as a scalar, in Swift's shortest text that gives the same number.
    func box() -> Node {
        if value.isNaN { return Node(".nan") }
        return Node(value.isInfinite ? (value < 0 ? "-.inf" : ".inf") : "\(value)")
    }
}
