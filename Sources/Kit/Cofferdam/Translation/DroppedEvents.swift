extension TranslationIssue {
    /// Events that a subscriber was too far behind to be given; how many is the issue's `raw`.
    public static func dropped(_ count: Int) -> TranslationIssue {
        TranslationIssue("dropped for a slow subscriber", at: droppedPath, raw: "\(count)", severity: .warning)
    }

    /// The path of ``dropped(_:)``.
    public static let droppedPath = "events"
}
