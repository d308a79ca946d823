/// How the app looks and behaves for one user.
public struct Profile: Sendable, Hashable {
    public var title: String
    public var theme: Theme
    /// In points.
    public var fontSize: Double
    public var launches: Int
    public var isBeta: Bool
    /// The user's note; nil if there is none. An empty note is different from no note.
    public var note: String?
    public var tags: [String]
    /// The user's keyboard shortcuts: keys, and the commands that they run.
    public var shortcuts: [String: String]

    public init(
        title: String,
        theme: Theme = .system,
        fontSize: Double = 12,
        launches: Int = 0,
        isBeta: Bool = false,
        note: String? = nil,
        tags: [String] = [],
        shortcuts: [String: String] = [:]
    ) {
        self.title = title
        self.theme = theme
        self.fontSize = fontSize
        self.launches = launches
        self.isBeta = isBeta
        self.note = note
        self.tags = tags
        self.shortcuts = shortcuts
    }
}

public enum Theme: Sendable, Hashable {
    case light, dark, system
    /// A theme that this version of the app does not know, from a newer version. Saving the profile keeps it.
    case other(String)
}
