import Synchronization

/// A stand-in for a vendor's SDK: it has no errors, returns an empty text for a missing key, and pages by opaque
/// tokens.
final class Vault: Sendable {
    /// The ways in which its lists are odd.
    enum Oddity: Sendable {
        case emptyPage, emptyToken, repeatedToken
    }

    private struct State: Sendable {
        var texts: [String: String] = [:]
        var oddity: Oddity?
        /// The valid tokens, which cannot be guessed, each with its position.
        var places: [String: Place] = [:]
        var lastToken = 0
    }

    private struct Place: Sendable {
        var after: String
        var hasPaused = false
    }

    static let maxKeys = 50
    private let state = Mutex(State())

    func put(_ text: String, at key: String) { state.withLock { $0.texts[key] = text } }
    func read(_ key: String) -> String { state.withLock { $0.texts[key] ?? "" } }
    func holds(_ key: String) -> Bool { state.withLock { $0.texts[key] != nil } }
    func delete(_ key: String) { state.withLock { $0.texts[key] = nil } }

    func wipe() { state.withLock { $0 = State() } }
    func setOddity(_ oddity: Oddity?) { state.withLock { $0.oddity = oddity } }
    func forgetTokens() { state.withLock { $0.places = [:] } }

    /// The keys in order, at most 50 of them; nil for an unknown token.
    func keys(token: String?, count: Int) -> (keys: [String], next: String?)? {
        state.withLock { state in
            var place = Place(after: "")
            if let token {
                guard let known = state.places[token] else { return nil }
                place = known
                if state.oddity == .emptyPage, !place.hasPaused {
                    place.hasPaused = true
                    return ([], Self.token(for: place, &state))
                }
            }
            let rest = state.texts.keys.sorted().filter { $0 > place.after }
            let keys = Array(rest.prefix(min(max(1, count), Self.maxKeys)))
            guard let last = keys.last, keys.count < rest.count else { return (keys, nil) }
            if state.oddity == .repeatedToken, let token { return (keys, token) }
            place.after = last
            if state.oddity == .emptyToken, token == nil {
                state.places[""] = place
                return (keys, "")
            }
            return (keys, Self.token(for: place, &state))
        }
    }

    private static func token(for place: Place, _ state: inout State) -> String {
        state.lastToken += 1
        let token = "token \(state.lastToken)"
        state.places[token] = place
        return token
    }
}
