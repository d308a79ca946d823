#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test func `D13: a lost link is available at once, and a command does not wait for it`() async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            let collar = AccessoryID("collar-1")
            try await port.perform(.identify, on: collar)
            #expect(sanctuary.control.commands(of: "collar-1") == ["identify"])
            let events = Subscription(port.events())
            _ = try await events.next()
            try sanctuary.control.loseLink(of: "collar-1")
            #expect(try await events.next()?.changed?.link == .available)
            let lost = await SanctuaryError.of { try await port.perform(.open, on: collar) }
            #expect(lost?.code == .conflict)
            let unknown = await SanctuaryError.of { try await port.perform(.open, on: AccessoryID("none")) }
            #expect(unknown?.code == .notFound)
            #expect(sanctuary.control.commands(of: "collar-1") == ["identify"])
        }
    }

    @Test(arguments: [true, false])
    func `D13: a lost link is in the next list, and a command for it is refused`(isNaive: Bool) async throws {
        try await OpenSanctuary.with { sanctuary in
            let port: any Accessories = isNaive ? NaiveV1Accessories() : sanctuary.services.accessories
            let collar = AccessoryID("collar-1")
            let before = try await port.accessories().first { $0.id == collar }?.link
            #expect(before == .active)
            try sanctuary.control.loseLink(of: "collar-1")
            let link = try await port.accessories().first { $0.id == collar }?.link
            #expect((link == .available) != isNaive, "the naive handling is to be refused")
            let refusal = await SanctuaryError.of { try await port.perform(.open, on: collar) }
            #expect((refusal?.code == .conflict) != isNaive, "the naive handling is to be refused")
        }
    }

    @Test func `D11, D13: an accessory that is found again does not replace the one activated since`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            try sanctuary.control.loseLink(of: "collar-1")
            try await port.activate(AccessoryID("camera-1"))
            // Refused if the search for it has ended.
            do { try sanctuary.control.restoreLink(of: "collar-1") } catch {}
            let active = try await port.accessories().filter { $0.link == .active }
            #expect(active.map(\.id.rawValue) == ["camera-1"])
        }
    }

    @Test func `D12: an accessory that another device has released since the last launch can be used again`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            let camera = AccessoryID("camera-1")
            try await sanctuary.services.accessories.activate(camera)
            await sanctuary.services.close()
            try sanctuary.control.updateAccessory("camera-1", state: .available)
            let services = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: sanctuary.service.url,
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            #expect(Menagerie.shared.accessoryCentral.linkedAccessoryIDs == ["camera-1"])
            try await services.accessories.activate(camera)
            let active = try await services.accessories.accessories().filter { $0.link == .active }
            #expect(active.map(\.id) == [camera])
            try await services.accessories.release(camera)
            #expect(Menagerie.shared.accessoryCentral.linkedAccessoryIDs == [])
            await services.close()
        }
    }

    @Test func `D15: two concurrent searches both return what is there, and one can be cancelled without harm`()
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            sanctuary.control.inject(.hold, on: .listAccessories)
            let first = Task { try await port.scan() }
            await sanctuary.control.waitForHeld(exactly: 1)
            let second = Task { try await port.scan() }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            sanctuary.control.releaseHeld()
            let found = try await second.value
            #expect(found.map(\.id.rawValue) == ["camera-1", "collar-1", "feeder-1", "scale-1"])
            let collar = try await port.accessories().first { $0.id.rawValue == "collar-1" }
            #expect(collar?.link == .active)
        }
    }

    @Test func `D15: a search that is cancelled through its request waits forever`() async throws {
        try await OpenSanctuary.with { sanctuary in
            let naive = NaiveV1Accessories()
            sanctuary.control.inject(.hold, on: .listAccessories)
            let first = Task { try await naive.scan() }
            await sanctuary.control.waitForHeld(exactly: 1)
            let second = Task { try await naive.scan() }
            first.cancel()
            sanctuary.control.releaseHeld()
            let found = try await second.value
            #expect(found.count == 4)
            #expect(naive.abandonSearches() == 1)
            _ = await first.result
        }
    }

    @Test(arguments: [true, false])
    func `D29: a nickname can be removed, and is not exported then`(isNaive: Bool) async throws {
        try await OpenSanctuary.with { sanctuary in
            let port: any Accessories = isNaive ? NaiveV1Accessories() : sanctuary.services.accessories
            try await port.setNickname("Cook", of: AccessoryID("feeder-1"))
            try await port.setNickname(nil, of: AccessoryID("feeder-1"))
            var kept: [String: String] = [:]
            _ = try await port.exportNicknames { kept[$0.rawValue] = $1 }
            #expect((kept["feeder-1"] == nil) != isNaive, "the naive handling is to be refused")
        }
    }

    @Test func `D29: nicknames are kept, and exported before the cut-over`() async throws {
        try await OpenSanctuary.with { sanctuary in
            let port = sanctuary.services.accessories
            #expect(sanctuary.services.capabilities.contains(.nicknames))
            try await port.setNickname("Weights", of: AccessoryID("scale-1"))
            try await port.setNickname(nil, of: AccessoryID("feeder-1"))
            var kept: [String: String] = [:]
            let count = try await port.exportNicknames { kept[$0.rawValue] = $1 }
            #expect(count == 3)
            #expect(
                kept == ["collar-1": "Kerberos, middle head", "camera-1": "Night watch", "scale-1": "Weights"]
            )
            let unknown = await SanctuaryError.of { try await port.setNickname("x", of: AccessoryID("none")) }
            #expect(unknown?.code == .notFound)
        }
    }
}
#endif
