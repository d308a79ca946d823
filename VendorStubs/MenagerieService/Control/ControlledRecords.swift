#if Sandbox
/// A record of the platform other than an animal, by its id.
public enum SandboxRecord: Sendable, Hashable {
    case order(String)
    case message(String)
    case accessory(String)
}

extension SandboxControl {
    /// Corrupts a record in the answers of both APIs, in addition to earlier corruptions.
    public func corrupt(_ record: SandboxRecord, _ corruption: Corruption) {
        sandbox.world.update { $0.corruptions[record, default: []].append(corruption) }
    }

    /// A line of an added order.
    public struct Line: Sendable, Hashable {
        public var article: String
        public var quantity: Int
        public var minorUnits: Int64
        /// `EUR`, `JPY` or `KWD`.
        public var currency: String

        public init(article: String, quantity: Int, minorUnits: Int64, currency: String) {
            self.article = article
            self.quantity = quantity
            self.minorUnits = minorUnits
            self.currency = currency
        }
    }

    /// An added record, with its time in milliseconds since 1970.
    public struct Added: Sendable, Hashable {
        public let id: String
        public let milliseconds: Int64
    }

    /// Adds an order of a user, placed now. Its lines are not validated.
    public func addOrder(_ lines: [Line], of user: String) throws -> Added {
        guard let user = User.named(user) else { throw Failure(description: "no user \(user)") }
        let lines = try lines.map { line in
            guard let currency = Currency(rawValue: line.currency) else {
                throw Failure(description: "no currency \(line.currency)")
            }
            return Order.Line(
                article: line.article,
                quantity: Int64(line.quantity),
                unitPrice: line.minorUnits,
                currency: currency
            )
        }
        let order = sandbox.world.update { $0.orders.place(lines, for: user, at: $0.now) }
        return Added(id: order.id, milliseconds: order.placedAt.milliseconds)
    }

    /// Adds a message as if another client had sent it now.
    public func addMessage(author: String, text: String) throws -> Added {
        do {
            let message = try sandbox.world.update { world throws(Refusal) in
                try world.messages.add(author: author, text: text, at: world.now)
            }
            return Added(id: message.id, milliseconds: message.sentAt.milliseconds)
        } catch {
            throw Failure(description: error.message)
        }
    }
}
#endif
