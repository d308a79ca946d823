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

    /// Adds an order of a user. Its lines are not validated.
    ///
    /// - Parameters:
    ///   - status: as in ``setStatus(_:order:)``.
    ///   - placedAt: in milliseconds since 1970, of which only whole seconds are kept; nil for now.
    public func addOrder(
        _ lines: [Line],
        of user: String,
        status: String = "pending",
        placedAt: Int64? = nil
    ) throws -> Added {
        guard let status = Order.Status(rawValue: status) else {
            throw Failure(description: "not an order's status: \(status)")
        }
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
        let order = sandbox.world.update { world in
            let moment = placedAt.map { Timestamp(milliseconds: $0) } ?? world.now
            return world.orders.place(lines, for: user, status: status, at: moment)
        }
        return Added(id: order.id, milliseconds: order.placedAt.milliseconds)
    }

    /// Returns the lines of an order.
    public func lines(ofOrder id: String) throws -> [Line] {
        guard let order = sandbox.world.read({ $0.orders.order(id) }) else {
            throw Failure(description: "no order has the id \(id)")
        }
        return order.lines.map { line in
            Line(
                article: line.article,
                quantity: Int(line.quantity),
                minorUnits: line.unitPrice,
                currency: line.currency.rawValue
            )
        }
    }

    /// Returns the text of a message.
    public func text(ofMessage id: String) throws -> String {
        guard let message = sandbox.world.read({ $0.messages.messages.first { $0.id == id } }) else {
            throw Failure(description: "no message has the id \(id)")
        }
        return message.text
    }

    /// Adds a message as if another client had sent it.
    ///
    /// - Parameter sentAt: in milliseconds since 1970; nil for now.
    public func addMessage(author: String, text: String, sentAt: Int64? = nil) throws -> Added {
        do {
            let message = try sandbox.world.update { world throws(Refusal) in
                let moment = sentAt.map { Timestamp(milliseconds: $0) } ?? world.now
                return try world.messages.add(author: author, text: text, at: moment)
            }
            return Added(id: message.id, milliseconds: message.sentAt.milliseconds)
        } catch {
            throw Failure(description: error.message)
        }
    }
}
#endif
