import Cofferdam
import SanctuaryDomain

/// Which unsent messages were on their way once, so that nobody knows whether they have arrived: V1 finds out when it sends them
/// again under the same id; V2, where that id means nothing, must leave them alone. On disk before they are sent, because the
/// answer may never come.
final class TriedMessages: Sendable {
    /// Read by V2's adapter, too.
    private static let name = "sanctuary.tried.json"

    private let files: StoredFiles
    private let underWay = Mutex(0)

    init(directory: String) { files = StoredFiles(directory: directory) }

    /// Runs `send`, which sends these.
    ///
    /// - Throws: what `send` throws; ``SanctuaryError`` that names the file, and nothing is sent then.
    func trying<Value: Sendable>(_ ids: [String], _ send: () async throws -> Value) async throws -> Value {
        let new = try began(ids)
        do {
            let value = try await send()
            ended { $0.removeAll(where: ids.contains) }
            return value
        } catch {
            let isOpen = Vendor.Effect.leavesOpen(error)
            ended(ifAlone: { if !isOpen { $0.removeAll(where: new.contains) } })
            throw error
        }
    }

    /// - Returns: those that have not been tried before.
    private func began(_ ids: [String]) throws(SanctuaryError) -> [String] {
        try underWay.withLock { underWay throws(SanctuaryError) in
            let unsent: [Unsent] = try files.propertyList("menagerie.outbox") ?? []
            let tried: [String] = try files.json(Self.name) ?? []
            let known = tried.filter { id in unsent.contains { $0.id == id } }
            let new = ids.filter { !known.contains($0) }
            if !new.isEmpty { try files.put(json: known + new, Self.name) }
            underWay += 1
            return new
        }
    }

    private func ended(
        _ change: (inout [String]) -> Void = { _ in },
        ifAlone changeIfAlone: (inout [String]) -> Void = { _ in }
    ) {
        underWay.withLock { underWay in
            underWay -= 1
            // Those that stay noted stay with V1: no more than that.
            do throws(SanctuaryError) {
                var tried: [String] = try files.json(Self.name) ?? []
                change(&tried)
                if underWay == 0 { changeIfAlone(&tried) }
                try files.put(json: tried.isEmpty ? nil : tried, Self.name)
            } catch {}
        }
    }

    private struct Unsent: Decodable { var id: String }
}
