#if Sandbox
/// The languages of the platform.
enum Language: String, Sendable {
    case english = "en"
    case german = "de"

    /// Creates a language from a tag such as `de-AT`; English if it is unknown.
    init(tag: some StringProtocol) {
        self = Language(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased()) ?? .english
    }

    /// Creates a language from an `Accept-Language` header: the known language with the highest weight, otherwise
    /// English.
    init(acceptLanguage header: String?) {
        var best: (language: Language, weight: Double) = (.english, 0)
        for range in (header ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first, let language = Language(rawValue: String(tag.prefix(2)).lowercased()) else {
                continue
            }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
            let weight = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best.weight { best = (language, weight) }
        }
        self = best.language
    }
}
#endif
