#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

/// A subscriber's own delegate. The vendor holds it weakly; the subscriber's stream retains it until the stream ends.
final class AccessoryListener: AccessoryCentralDelegate, Sendable {
    let buffer: EventBuffer<AccessoryEvent>
    private let vendor: Vendor
    private let known = Mutex<[AccessoryID: Accessory]>([:])

    init(_ vendor: Vendor) {
        self.vendor = vendor
        buffer = EventBuffer(limit: 1024, onDrop: vendor.countDrops(of: "accessory events"))
    }

    func listen() {
        guard !Task.isCancelled else { return buffer.finish(throwing: CancellationError()) }
        let lifetime = vendor.lifetime
        guard let id = lifetime.enter(.services, end: { [buffer] in buffer.finish(throwing: $0) }) else {
            return buffer.finish(throwing: Lifetime.closed)
        }
        Menagerie.shared.accessoryCentral.addDelegate(self)
        buffer.onTermination {
            lifetime.leave(id)
            Menagerie.shared.accessoryCentral.removeDelegate(self)
        }
    }

    func accessoryCentral(_ central: AccessoryCentral, didFind accessories: [MenagerieAccessory]) {
        translating { () throws(SanctuaryError) in
            let all = try vendor.translate(accessories, by: .accessory, "accessories")
            known.withLock { $0 = Dictionary(all.map { ($0.id, $0) }) { $1 } }
            buffer.send(.current(all.sorted()), restart: current)
        }
    }

    func accessoryCentral(_ central: AccessoryCentral, didUpdate accessory: MenagerieAccessory) {
        translating { () throws(SanctuaryError) in
            let accessory = try vendor.translate(accessory, by: .accessory, "accessory")
            known.withLock { $0[accessory.id] = accessory }
            buffer.send(.changed(accessory), restart: current)
        }
    }

    func accessoryCentral(_ central: AccessoryCentral, didLose accessoryID: String) {
        let id = AccessoryID(accessoryID)
        known.withLock { $0[id] = nil }
        buffer.send(.removed(id), restart: current)
    }

    func accessoryCentral(_ central: AccessoryCentral, didFailWithError error: NSError) {
        buffer.finish(throwing: SanctuaryError(error))
    }

    private func current() -> AccessoryEvent { .current(known.withLock { Array($0.values) }.sorted()) }

    /// Ends the stream on an event that cannot be translated: otherwise the subscriber would silently miss a change.
    private func translating(_ body: () throws(SanctuaryError) -> Void) {
        do throws(SanctuaryError) { try body() } catch { buffer.finish(throwing: error) }
    }
}
#endif
