#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test("D10: every subscriber receives the current state first, and then every change")
    func accessoryEvents() async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            let all = try await port.accessories()
            #expect(all.isEmpty == false)
            let id = try #require(all.first { $0.link == .available }?.id)
            let first = Subscription(port.events())
            #expect(try await first.next() == .current(all))
            await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 1)
            let second = Subscription(port.events())
            #expect(try await second.next() == .current(all))
            try sanctuary.control.burst(id.rawValue, count: 1000)
            for index in 0..<1000 {
                for event in [try await first.next(), try await second.next()] {
                    let accessory = try #require(event?.changed)
                    #expect(accessory.id == id)
                    #expect(accessory.battery?.percent == index % 101)
                }
            }
            try sanctuary.control.removeAccessory(id.rawValue)
            #expect(try await first.next() == .removed(id))
        }
    }

    @Test("D10: a new subscriber receives the current state, however long others have listened")
    func newcomer() async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            let first = Subscription(port.events())
            _ = try await first.next()
            let id = try #require(try await port.accessories().first { $0.link == .available }?.id)
            try await port.activate(id)
            let second = Subscription(port.events())
            let all = try await port.accessories()
            #expect(all.first { $0.id == id }?.link == .active)
            #expect(try await second.next() == .current(all))
        }
    }

    @Test("D11, D12: at most one accessory is active, and activating it again changes nothing")
    func activation() async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            let ids = try await port.accessories().map(\.id)
            for id in [ids[0], ids[1], ids[1], ids[0]] {
                try await port.activate(id)
                #expect(try await port.accessories().filter { $0.link == .active }.map(\.id) == [id])
            }
            try await port.release(ids[0])
            try await port.release(ids[0])
            #expect(try await port.accessories().allSatisfy { $0.link != .active })
            for call in [port.activate, port.release] {
                let error = await SanctuaryError.of { try await call(AccessoryID("collar-4711")) }
                #expect(error?.code == .notFound)
            }
        }
    }

    @Test("STRM-04: the poll ends with the last listener", arguments: [true, false])
    func subscriptionEnds(byCancelling: Bool) async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            if byCancelling {
                let listener = Task { for try await _ in port.events() {} }
                await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 1)
                listener.cancel()
                await #expect(throws: CancellationError.self) { try await listener.value }
            } else {
                let events = port.events()
                await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 1)
                _ = consume events
            }
            await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 0)
        }
    }

    @Test("STRM-03: a lost vendor ends the stream with an error")
    func lostVendor() async throws {
        try await OpenSanctuary.with { sanctuary in
            sanctuary.control.inject(.reset, on: .accessoryEvents, times: 3)
            let events = Subscription(sanctuary.services.accessories.events())
            let error = await events.end()
            #expect(error?.code == .unreachable)
            #expect(error?.isRetryable == true)
        }
    }
}
#endif
