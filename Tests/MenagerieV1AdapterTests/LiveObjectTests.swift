#if Sandbox
import Foundation
import MenagerieService
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test func `D30: a delivered value never changes, and a change is delivered as one`() async throws {
        try await OpenSanctuary.with { sanctuary in
            let naive = NaiveScreen()
            Menagerie.shared.accessoryCentral.addDelegate(naive)
            var shown = naive.shown.makeAsyncIterator()
            let before = await shown.next()
            let events = Subscription(sanctuary.services.accessories.events())
            guard case .current(let delivered) = try await events.next() else {
                return #expect(Bool(false), "no state")
            }
            try sanctuary.control.updateAccessory("collar-1", battery: 3)
            let changed = try await events.next()?.changed
            #expect(changed?.battery?.percent == 3)
            #expect(delivered.first { $0.id.rawValue == "collar-1" }?.battery?.percent == 57)
            let now = await shown.next()
            #expect(now != before, "the naive screen's accessory has changed in its hands")
            Menagerie.shared.accessoryCentral.removeDelegate(naive)
        }
    }
}

/// Keeps the vendor's object, and treats it as a value.
///
/// Used on the callback queue only, except for the stream, which is Sendable.
private final class NaiveScreen: AccessoryCentralDelegate, @unchecked Sendable {
    let shown: AsyncStream<Double>
    private let show: AsyncStream<Double>.Continuation
    private var collar: MenagerieAccessory?

    init() { (shown, show) = AsyncStream.makeStream() }

    func accessoryCentral(_ central: AccessoryCentral, didFind accessories: [MenagerieAccessory]) {
        collar = accessories.first { $0.id == "collar-1" }
        update()
    }

    func accessoryCentral(_ central: AccessoryCentral, didUpdate accessory: MenagerieAccessory) { update() }
    func accessoryCentral(_ central: AccessoryCentral, didLose accessoryID: String) {}
    func accessoryCentral(_ central: AccessoryCentral, didFailWithError error: NSError) {}

    private func update() { show.yield(collar?.battery ?? -1) }
}
#endif
