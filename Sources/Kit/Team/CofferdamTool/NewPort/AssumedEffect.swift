import Cofferdam

/// The effect that a method's declaration suggests. A shadow asks reads on both sides, so a call counts as a read only if
/// its name says so; everything else is a write until the port's author says otherwise.
struct AssumedEffect: Hashable {
    var effect: Effect
    var reason: String

    init(_ method: PortDeclaration.Method) {
        switch method.result {
        case .nothing:
            self.init(.write, "Assumed to change something each time, because it returns nothing.")
        case .stream:
            self.init(.read, "Assumed to be a stream that the other side may take over.")
        case .value(let output):
            if Self.isRead(method, returning: output) {
                self.init(.read, "Assumed to change nothing, because of its name.")
            } else {
                self.init(
                    .write,
                    "Assumed to change something each time, because its name does not say that it only reads."
                )
            }
        }
    }

    private init(_ effect: Effect, _ reason: String) { (self.effect, self.reason) = (effect, reason) }

    // MARK: Names

    /// By Swift's API design guidelines, a method without side effects is named by a noun phrase, which names the result:
    /// "orders", "animal(_:)", "statement(of:)". Other methods are named by a verb, which may be one of reading.
    private static func isRead(_ method: PortDeclaration.Method, returning output: String) -> Bool {
        let words = words(of: method.name)
        guard let first = words.first, let last = words.last else { return false }
        if readingVerbs.contains(first) { return true }
        if ["is", "has", "can", "number", "all", "current", "latest", "recent", "available"].contains(first),
            words.count > 1
        {
            return true
        }
        let result = ResultNoun(output)
        let isCommand = commands.contains(first)
        if result.isSequence, !isCommand || words.count == 1 {
            if result.isPage || (words.count == 1 && result.words.last == singular(last) && last != singular(last)) {
                return true
            }
        }
        guard words.count == 1, !result.isSequence else { return false }
        let inputs = method.parameters.filter { !$0.type.contains("->") }
        if isCommand {
            // "order(_ id: OrderID)" finds an order. "order(_ id: ProductID)" may place one.
            return inputs.count == 1 && result.words.last == first && isID(inputs[0], of: first)
        }
        return !inputs.isEmpty && (result.words.last == first || inputs[0].label == "of")
    }

    /// What a method returns, as a noun.
    private struct ResultNoun {
        var isSequence = false
        var isPage = false
        var words: [String]

        init(_ type: String) {
            var type = DeclaredTypes.wrapped(type) ?? type
            if let element = DeclaredTypes.element(type) {
                (isSequence, type) = (true, element)
            } else if let open = type.firstIndex(of: "<"), type.hasSuffix(">") {
                // A generic page: "Page<Order>".
                isSequence = true
                isPage = AssumedEffect.words(of: String(type[..<open])).last == "page"
                type = String(type[type.index(after: open)...].dropLast())
            }
            words = AssumedEffect.words(of: type.split(separator: ".").last.map(String.init) ?? type)
            if words.last == "page" { (isSequence, isPage) = (true, true) }
        }
    }

    /// Whether a parameter is the id of that thing, by its type ("OrderID", "Order.ID") or by its name.
    private static func isID(_ parameter: PortDeclaration.Parameter, of noun: String) -> Bool {
        let type = words(of: parameter.type.filter { $0 != "." })
        if type.last == "id" || type.last == "identifier" { return type.dropLast().last == noun }
        return ["id", "\(noun)ID", "identifier"].contains(parameter.name)
            && ["String", "Int", "Int64", "UInt64", "UUID"].contains(parameter.type)
    }

    /// "signIn" is "sign" and "in"; "OrderID" is "order" and "id".
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var wasLower = false
        for character in name where character.isLetter || character.isNumber {
            if character.isUppercase, wasLower || words.isEmpty { words.append("") }
            if words.isEmpty { words.append("") }
            words[words.count - 1] += character.lowercased()
            wasLower = !character.isUppercase
        }
        return words
    }

    private static func singular(_ word: String) -> String {
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes"] where word.hasSuffix(ending) { return String(word.dropLast(2)) }
        return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }

    private static let readingVerbs: Set = [
        "get", "list", "find", "fetch", "load", "search", "read", "look", "lookup", "query", "count", "browse",
        "observe",
        "watch", "peek", "inspect", "describe", "view", "show", "retrieve", "exists", "contains", "compare", "download",
    ]

    /// Nouns that are also what an app tells a vendor to do.
    private static let commands: Set = [
        "act", "activate", "add", "answer", "apply", "approve", "archive", "assign", "backup", "bid", "bill", "block",
        "book", "buy", "call", "cancel", "change", "charge", "claim", "clone", "close", "command", "comment", "commit",
        "connect", "copy", "create", "credit", "debit", "delete", "deploy", "deposit", "draft", "draw", "edit",
        "export",
        "file", "flag", "follow", "fork", "forward", "grant", "import", "insert", "invite", "invoice", "issue", "join",
        "launch", "lease", "like", "link", "loan", "lock", "log", "login", "mail", "mark", "merge", "message", "move",
        "name", "offer", "open", "order", "park", "patch", "pay", "pin", "place", "play", "post", "print", "process",
        "publish", "purchase", "push", "put", "quote", "rate", "record", "refresh", "refund", "register", "release",
        "remove", "rename", "rent", "repeat", "reply", "report", "request", "reserve", "reset", "restore", "return",
        "review", "ride", "run", "sale", "save", "schedule", "sell", "send", "set", "share", "ship", "sign", "start",
        "stop", "store", "submit", "subscribe", "swap", "sync", "tag", "ticket", "tip", "token", "trade", "transfer",
        "update", "upload", "visit", "vote", "withdraw", "write",
    ]
}
