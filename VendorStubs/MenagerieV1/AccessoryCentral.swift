#if Sandbox
public import Foundation  // the API uses NSError and TimeInterval
import HTTPTypes

/// An accessory in reach. Accessories passed to a delegate are live: they change, on the callback queue.
public final class MenagerieAccessory {
    public let id: String
    public internal(set) var name: String = ""
    /// The user's nickname for it, if any.
    public internal(set) var nickname: String?
    public internal(set) var isConnected = false
    /// Whether this is the active accessory; at most one is.
    public internal(set) var isActive = false
    /// 0 to 1.
    public internal(set) var battery: Double = 0
    /// Seconds since the reference date, as in `Date.timeIntervalSinceReferenceDate`.
    public internal(set) var lastSeen: TimeInterval = 0

    init(_ json: AccessoryJSON) {
        id = json.id
        update(json)
    }

    func update(_ json: AccessoryJSON) {
        name = json.name
        nickname = json.nickname
        isConnected = json.connected
        isActive = json.active
        battery = json.battery
        lastSeen = json.last_seen
    }
}

/// Receives changes to the accessories.
public protocol AccessoryCentralDelegate: AnyObject {
    /// Called once after registration, with all accessories.
    func accessoryCentral(_ central: AccessoryCentral, didFind accessories: [MenagerieAccessory])
    func accessoryCentral(_ central: AccessoryCentral, didUpdate accessory: MenagerieAccessory)
    func accessoryCentral(_ central: AccessoryCentral, didLose accessoryID: String)
    /// Called when the connection is lost and the delegate is no longer registered.
    func accessoryCentral(_ central: AccessoryCentral, didFailWithError error: NSError)
}

/// Finds and connects accessories.
public final class AccessoryCentral {
    private unowned let menagerie: Menagerie
    private let poll: LongPoll<AccessoryEventJSON, AccessoryChange>
    private let known: KnownAccessories
    private let scan = JoinedScan()

    init(_ menagerie: Menagerie) {
        self.menagerie = menagerie
        let known = KnownAccessories()
        self.known = known
        poll = LongPoll(path: "/v1/accessories/poll") { transport, _ throws(NSError) in
            let list: AccessoriesJSON = try await transport.json(.get, "/v1/accessories")
            return (list.next, { known.replaceAll(list.accessories) })
        } apply: {
            known.apply($0)
        }
    }

    /// The accessories that this device has connected, at this launch or an earlier one: known before the server has
    /// been asked.
    public var linkedAccessoryIDs: Set<String> { menagerie.links?.all ?? [] }

    /// Registers a delegate, which is held weakly. All delegates receive all changes, after the current state.
    public func addDelegate(_ delegate: any AccessoryCentralDelegate) {
        let (transport, queue) = (menagerie.currentTransport, menagerie.callbackQueue)
        poll.add(delegate, transport: transport, queue: queue) { [weak self, weak delegate] news in
            guard let self, let delegate else { return }
            switch news {
            case .begun: delegate.accessoryCentral(self, didFind: known.all)
            case .change(.updated(let accessory)): delegate.accessoryCentral(self, didUpdate: accessory)
            case .change(.lost(let id)): delegate.accessoryCentral(self, didLose: id)
            case .failed(let error): delegate.accessoryCentral(self, didFailWithError: error)
            }
        }
    }

    /// Removes a delegate. The search ends with the last one.
    public func removeDelegate(_ delegate: any AccessoryCentralDelegate) { poll.remove(delegate) }

    func removeAllDelegates() { poll.removeAll() }

    /// Fetches all current accessories, by id.
    @discardableResult
    public func fetchAccessories(completion: @escaping ([MenagerieAccessory]?, NSError?) -> Void) -> MenagerieRequest {
        menagerie.perform { transport throws(NSError) -> AccessoriesJSON in
            try await transport.json(.get, "/v1/accessories")
        } completion: { list, error in
            completion(list?.accessories.map(MenagerieAccessory.init), error)
        }
    }

    /// Searches for accessories. Concurrent searches are joined.
    @discardableResult
    public func scan(completion: @escaping ([MenagerieAccessory]?, NSError?) -> Void) -> MenagerieRequest {
        menagerie.perform { [scan] transport throws(NSError) -> AccessoriesJSON in
            try await scan.run(transport)
        } completion: { list, error in
            completion(list?.accessories.map(MenagerieAccessory.init), error)
        }
    }

    /// Sends a command to an accessory. Fails at once unless it is the active one.
    @discardableResult
    public func send(_ command: String, to id: String, completion: @escaping (NSError?) -> Void) -> MenagerieRequest {
        change(id, "command", body: ["command": command], completion)
    }

    /// Sets an accessory's nickname; "" removes it.
    @discardableResult
    public func setNickname(
        _ nickname: String,
        for id: String,
        completion: @escaping (NSError?) -> Void
    ) -> MenagerieRequest {
        change(id, "nickname", body: ["nickname": nickname], completion)
    }

    /// Links the accessory and makes it the active one, replacing the previous one.
    @discardableResult
    public func connect(_ id: String, completion: @escaping (NSError?) -> Void) -> MenagerieRequest {
        let links = menagerie.links
        return change(id, "connect") { error in
            if error == nil { links?.insert(id) }
            completion(error)
        }
    }

    /// Ends the link.
    @discardableResult
    public func disconnect(_ id: String, completion: @escaping (NSError?) -> Void) -> MenagerieRequest {
        let links = menagerie.links
        return change(id, "disconnect") { error in
            if error == nil { links?.remove(id) }
            completion(error)
        }
    }

    private func change(
        _ id: String,
        _ verb: String,
        body: [String: String]? = nil,
        _ completion: @escaping (NSError?) -> Void
    ) -> MenagerieRequest {
        menagerie.perform { transport throws(NSError) -> AccessoryJSON in
            try await transport.json(.post, "/v1/accessories/\(Transport.segment(id))/\(verb)", body: body)
        } completion: { _, error in
            completion(error)
        }
    }
}

private enum AccessoryChange {
    case updated(MenagerieAccessory)
    case lost(String)
}

/// The live accessories; touched on the callback queue only.
private final class KnownAccessories {
    private var byID: [String: MenagerieAccessory] = [:]

    var all: [MenagerieAccessory] { byID.values.sorted { $0.id < $1.id } }

    func replaceAll(_ list: [AccessoryJSON]) {
        var fresh: [String: MenagerieAccessory] = [:]
        for json in list { fresh[json.id] = updated(json) }
        byID = fresh
    }

    func apply(_ event: AccessoryEventJSON) -> AccessoryChange? {
        switch event {
        case .changed(let json):
            let accessory = updated(json)
            byID[json.id] = accessory
            return .updated(accessory)
        case .removed(let id):
            byID[id] = nil
            return .lost(id)
        case .unknown: return nil
        }
    }

    private func updated(_ json: AccessoryJSON) -> MenagerieAccessory {
        guard let accessory = byID[json.id] else { return MenagerieAccessory(json) }
        accessory.update(json)
        return accessory
    }
}

struct AccessoryJSON: Decodable {
    var id: String
    var name: String
    var nickname: String?
    var connected: Bool
    var active: Bool
    var battery: Double
    var last_seen: Double
}

struct AccessoriesJSON: Decodable {
    var accessories: [AccessoryJSON]
    var next: Int
}

private enum AccessoryEventJSON: Decodable {
    case changed(AccessoryJSON)
    case removed(String)
    case unknown

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch try fields.decode(String.self, forKey: .type) {
        case "accessory": self = .changed(try fields.decode(AccessoryJSON.self, forKey: .accessory))
        case "removed": self = .removed(try fields.decode(String.self, forKey: .id))
        default: self = .unknown
        }
    }

    private enum Key: String, CodingKey { case type, accessory, id }
}
#endif
