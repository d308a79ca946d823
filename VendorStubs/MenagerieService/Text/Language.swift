/// The languages that the platform has texts in.
enum Language: String, Sendable {
    case english = "en"
    case german = "de"

    /// By a tag such as `de-AT`; English if there is no other.
    init(tag: some StringProtocol) {
        self = Language(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased()) ?? .english
    }

    /// By an `Accept-Language` header: the language with the highest weight that there is, else English.
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
