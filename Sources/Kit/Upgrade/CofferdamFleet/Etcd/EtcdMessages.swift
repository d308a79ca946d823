#if Fleet
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The JSON gateway's messages, as etcd 3.4 writes them: members in snake case, bytes in base64, 64-bit integers as
// strings, and members that are zero, false or empty left out.

/// A 64-bit integer of the gateway, written as a string.
struct EtcdInteger: Codable, Hashable {
    var value: Int64

    init(_ value: Int64) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Int64(text) ?? UInt64(text).map(Int64.init(bitPattern:)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a 64-bit integer")
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(value))
    }
}

/// The header of every answer. It proves that etcd answered: `{}` alone would look like "no such key".
struct EtcdHeader: Decodable {
    /// Identifiers are unsigned; only equality matters.
    var clusterId: EtcdInteger
    var revision: EtcdInteger?
}

protocol EtcdAnswer: Decodable {
    var header: EtcdHeader { get }
    /// Whether the answer is a majority's, and not a single member's.
    static var isLinearizable: Bool { get }
}

extension EtcdAnswer {
    static var isLinearizable: Bool { true }
}

struct EtcdRange: Encodable {
    var key: Data
    /// The end of the range, exclusive; nil for `key` alone.
    var rangeEnd: Data?
    var limit: EtcdInteger?
    var sortOrder: String?
    var sortTarget: String?
    var maxCreateRevision: EtcdInteger?
    var minCreateRevision: EtcdInteger?

    init(_ key: String) { self.key = Data(key.utf8) }
}

struct EtcdPair: Decodable {
    var key: Data
    var value: Data?
    var createRevision: EtcdInteger
    var modRevision: EtcdInteger
}

struct EtcdRangeAnswer: EtcdAnswer {
    var header: EtcdHeader
    var kvs: [EtcdPair]?
}

struct EtcdTransaction: Encodable {
    var compare: [Comparison] = []
    var success: [Operation] = []
    var failure: [Operation] = []

    struct Comparison: Encodable {
        var key: Data
        var target = "MOD"
        var result = "EQUAL"
        var modRevision: EtcdInteger

        /// - Parameter revision: 0 if the key must not exist.
        init(_ key: String, wasChangedAt revision: Int64) {
            self.key = Data(key.utf8)
            modRevision = EtcdInteger(revision)
        }
    }

    struct Operation: Encodable {
        var requestPut: Put?
        var requestRange: EtcdRange?
        var requestDeleteRange: EtcdRange?

        static func put(_ key: String, _ value: Data, lease: EtcdInteger? = nil) -> Operation {
            Operation(requestPut: Put(key: Data(key.utf8), value: value, lease: lease))
        }
        static func get(_ key: String) -> Operation { Operation(requestRange: EtcdRange(key)) }
        static func delete(_ key: String) -> Operation { Operation(requestDeleteRange: EtcdRange(key)) }
    }

    struct Put: Encodable {
        var key: Data
        var value: Data
        var lease: EtcdInteger?
    }
}

struct EtcdLease: EtcdAnswer {
    static var isLinearizable: Bool { false }

    var header: EtcdHeader
    var id: EtcdInteger

    private enum CodingKeys: String, CodingKey {
        case header, id = "ID"
    }
}

/// The line of a keep-alive.
struct EtcdKeptLease: EtcdAnswer {
    static var isLinearizable: Bool { false }

    var result: Result
    var header: EtcdHeader { result.header }

    struct Result: Decodable {
        var header: EtcdHeader
        /// Absent if the lease has ended.
        var seconds: EtcdInteger?

        private enum CodingKeys: String, CodingKey {
            case header, seconds = "TTL"
        }
    }
}

struct EtcdRevokedLease: EtcdAnswer {
    static var isLinearizable: Bool { false }

    var header: EtcdHeader
}

struct EtcdTransactionAnswer: EtcdAnswer {
    var header: EtcdHeader
    /// Absent if the comparison failed.
    var succeeded: Bool?
    var responses: [Response]?

    struct Response: Decodable {
        var responseRange: Found?
    }

    struct Found: Decodable {
        var kvs: [EtcdPair]?
    }

    /// The pair with that key in the answer.
    func pair(_ key: String) -> EtcdPair? {
        for response in responses ?? [] {
            if let pair = response.responseRange?.kvs?.first(where: { $0.key == Data(key.utf8) }) { return pair }
        }
        return nil
    }
}

struct EtcdLogin: Encodable {
    var name: String
    var password: String
}

struct EtcdLoginAnswer: EtcdAnswer {
    static var isLinearizable: Bool { false }

    var header: EtcdHeader
    var token: String
}

struct EtcdRefusal: Decodable {
    var message: String?
}

struct EtcdWatchRequest: Encodable {
    var createRequest: Create

    struct Create: Encodable {
        var key: Data
        var rangeEnd: Data
        var startRevision: EtcdInteger
    }
}

/// A line of a watch.
struct EtcdWatchLine: Decodable {
    var result: Result?
    var error: EtcdRefusal?

    struct Result: Decodable {
        var header: EtcdHeader
        var canceled: Bool?
        /// Set if the revision to watch from has been compacted.
        var compactRevision: EtcdInteger?
        /// The only sign of an unauthorised watch, whose HTTP status is 200.
        var cancelReason: String?
        var events: [Event]?
    }

    /// A change, whose content is not read. A PUT event has no type.
    struct Event: Decodable {}
}
#endif
