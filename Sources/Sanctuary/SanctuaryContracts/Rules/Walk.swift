import CofferdamContracts
import SanctuaryDomain

/// Follows a list's cursors from the start, at most so many calls.
struct Walk<Item: Sendable & Hashable>: Sendable {
    private(set) var items: [Item] = []
    private(set) var calls = 0
    private(set) var end = End.tooLong

    enum End: Sendable {
        /// A page without a cursor.
        case lastPage
        case failed(any Error)
        /// The calls were used up.
        case tooLong
    }

    init(limit: Int, atMost bound: Int, _ fetch: (PageRequest) async throws -> Page<Item>) async {
        var request = PageRequest(limit: limit)
        while calls < bound {
            calls += 1
            do {
                let page = try await fetch(request)
                items += page.items
                guard let next = page.next else {
                    end = .lastPage
                    return
                }
                request.cursor = next
            } catch {
                end = .failed(error)
                return
            }
        }
    }

    var didEnd: Bool { if case .lastPage = end { true } else { false } }
}

extension Findings {
    /// The walk came to its end, and gave exactly these, in this order.
    mutating func expect<Item>(_ walk: Walk<Item>, gives expected: [Item], _ what: String) {
        expect(walk.didEnd, "\(what): the walk did not come to its end: \(walk.end), after \(walk.calls) calls")
        if walk.items != expected { add("\(what): \(Self.difference(walk.items, expected))") }
    }

    private static func difference<Item: Hashable>(_ actual: [Item], _ expected: [Item]) -> String {
        let missing = expected.filter { !Set(actual).contains($0) }
        let surplus = actual.filter { !Set(expected).contains($0) }
        let twice = actual.count - Set(actual).count
        var parts = ["expected \(expected.count) items, got \(actual.count)"]
        if let first = missing.first { parts.append("\(missing.count) missing, such as \(first)") }
        if let first = surplus.first { parts.append("\(surplus.count) unexpected, such as \(first)") }
        if twice > 0 { parts.append("\(twice) duplicates") }
        if parts.count == 1 { parts.append("in another order") }
        return parts.joined(separator: ", ")
    }

    /// The operation throws a ``SanctuaryError`` of this code.
    ///
    /// - Returns: the error, whatever its code, if it is one.
    @discardableResult
    mutating func expectError<Value>(
        _ code: SanctuaryError.Code,
        _ what: String,
        _ operation: () async throws -> Value
    ) async -> SanctuaryError? {
        do {
            let value = try await operation()
            add("\(what): expected \(code), got the result \(value)")
        } catch let error as SanctuaryError {
            expect(error.code == code, "\(what): expected \(code), got \(error)")
            return error
        } catch {
            add("\(what): expected \(code), got \(type(of: error)): \(error)")
        }
        return nil
    }
}
