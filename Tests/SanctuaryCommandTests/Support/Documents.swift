#if Sandbox
/// The commands' JSON output, as a script would read it.
struct AnimalDocument: Decodable, Hashable {
    let id: String
    let name: String
    let displayName: String
    let group: String
    let legs: Int?
    let heads: Int?
    let ambiguous: [String]?
}

struct OrderDocument: Decodable, Hashable {
    struct Amount: Decodable, Hashable {
        let amount: String
        let currency: String
    }

    struct Line: Decodable, Hashable {
        let article: String
        let quantity: Int
        let unitPrice: Amount
    }

    let id: String
    let status: String
    let placedAt: String
    let lines: [Line]
    let totals: [Amount]?
}

struct MessageDocument: Decodable, Hashable {
    let id: String
    let author: String
    let text: String
    let sentAt: String
}

struct AccessoryDocument: Decodable, Hashable {
    let id: String
    let name: String
    let link: String
    let battery: Int?
    let lastSeen: String
}

struct AccountDocument: Decodable, Hashable {
    let state: String
    let id: String?
    let currency: String?
}
#endif
