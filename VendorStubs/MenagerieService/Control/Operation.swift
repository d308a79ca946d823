#if Sandbox
/// An operation of the platform, through either API.
public enum Operation: String, Sendable, Hashable, CaseIterable {
    case listAnimals, getAnimal
    /// v2 only: converts legacy ids to new ones and back.
    case resolveIdentifiers
    /// The picture's bytes, by a permanent URL in v1 and a signed one in v2.
    case photo
    /// v2 only: the signed URL.
    case imageURL
    case listAccessories
    /// v1's `connect`, and v2's `activate`.
    case activateAccessory
    /// v1's `disconnect`, and v2's `unlink`.
    case releaseAccessory
    /// v2 only.
    case linkAccessory
    /// v2 only.
    case deactivateAccessory
    case commandAccessory
    /// v1 only.
    case nameAccessory
    /// v1's long poll, and v2's stream.
    case accessoryEvents
    case listOrders, getOrder, placeOrder
    case listMessages, sendMessage
    /// v1's long poll, and v2's stream.
    case messageEvents
    case signIn
    /// v2 only.
    case refresh
    /// v2 only: exchanges a token of v1 for a session of v2.
    case exchange
    /// v2 only.
    case revoke
    case account
    /// v2 only: delivers messages that could not be sent when they were written.
    case deliverOutbox
    /// v2 only.
    case telemetry
}

/// A source of events.
public enum EventChannel: Sendable, Hashable, CaseIterable {
    case messages, accessories
}

/// An incident that listeners of a channel experience.
public enum EventIncident: String, Sendable, Hashable, CaseIterable {
    /// A heartbeat: a comment in v2's stream, an empty answer to v1's poll.
    case heartbeat
    /// v2's stream ends normally. v1's polls have no equivalent: same as a heartbeat.
    case end
    /// v2's stream breaks off in the middle of an event; v1's poll is answered by 503.
    case truncation
    /// v2's stream breaks off between two events; v1's poll is answered by 503.
    case loss
}

/// A request as received by the service.
public struct RecordedRequest: Sendable, Hashable {
    public let method: String
    public let path: String
    /// The query without the question mark; empty if there is none.
    public let query: String
    /// The headers in order; names as they were sent.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    /// Returns the first header of that name, ignoring case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    public static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.path == right.path && left.query == right.query && left.body == right.body
            && left.headers.elementsEqual(right.headers, by: ==)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(path)
        hasher.combine(query)
        hasher.combine(body)
    }
}
#endif
