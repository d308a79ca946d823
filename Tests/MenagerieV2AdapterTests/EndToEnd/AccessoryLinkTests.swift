#if Sandbox
import CofferdamTesting
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

/// Tests what the port specifies about links, searches, commands and names: each check runs on the adapter, and on the
/// naive handling, which it must refuse.
@Suite(.timeLimit(.minutes(5))) struct AccessoryLinkTests {
    private let collar = AccessoryID("collar-1")
    private let camera = AccessoryID("camera-1")

    @Test(arguments: Handling.allCases)
    func `D13: a lost link is reconnecting at once, and available after sixty seconds`(_ handling: Handling)
        async throws
    {
        try await opened(handling) { port, sanctuary, clock in
            let events = Subscriber(port.events())
            _ = try await events.next()
            try sanctuary.control.loseLink(of: "collar-1")
            let lost = try await events.next()
            guard try handling.refuses(lost?.link == .reconnecting) else { return }
            #expect(clock.now.offset < .seconds(1))
            await clock.waitForSleeper(until: .seconds(60))
            clock.advance(by: .seconds(59))
            #expect(try await port.accessories().first { $0.id == collar }?.link == .reconnecting)
            clock.advance(by: .seconds(1))
            #expect(try await events.next()?.link == .available)
            #expect(try await port.accessories().first { $0.id == collar }?.link == .available)
            try sanctuary.control.restoreLink(of: "collar-1")
            #expect(try await events.next()?.link == .active)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D10: the current state comes first, before any change`(_ handling: Handling) async throws {
        try await opened(handling) { port, sanctuary, _ in
            var port = port
            if var naive = port as? NaiveV2Accessories {
                naive.tellsCurrent = false
                port = naive
            }
            let events = Subscriber(port.events())
            await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 1)
            try sanctuary.control.updateAccessory("feeder-1", battery: 3)
            let first = try await events.next()
            let isCurrent = if case .current = first { true } else { false }
            _ = try handling.refuses(isCurrent)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D12: an accessory that is linked since the last launch can be used and released`(_ handling: Handling)
        async throws
    {
        try await opened(handling) { port, _, _ in
            var port = port
            if var naive = port as? NaiveV2Accessories {
                naive.linksAlways = true
                port = naive
            }
            let feeder = AccessoryID("feeder-1")
            #expect(try await port.accessories().first { $0.id == feeder }?.link == .linked)
            let failure: (any Error)?
            do {
                try await port.activate(feeder)
                failure = nil
            } catch {
                failure = error
            }
            guard try handling.refuses(failure == nil) else { return }
            try await port.release(feeder)
            #expect(try await port.accessories().first { $0.id == feeder }?.link == .available)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D12: an accessory that another device has released since the last launch can be used again`(
        _ handling: Handling
    ) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.accessories.activate(camera)
            await sanctuary.services.close()
            try sanctuary.control.updateAccessory("camera-1", state: .available)
            try await relaunched(handling, sanctuary) { port in
                let failure: (any Error)?
                do {
                    try await port.activate(camera)
                    failure = nil
                } catch {
                    failure = error
                }
                guard try handling.refuses(failure == nil) else { return }
                #expect(try await port.accessories().filter { $0.link == .active }.map(\.id) == [camera])
            }
        }
    }

    @Test(arguments: Handling.allCases)
    func `D14: a battery is in percent, and was last seen in this century`(_ handling: Handling) async throws {
        try await opened(handling) { port, sanctuary, _ in
            for percent in [0, 1, 57, 100] {
                try sanctuary.control.updateAccessory("collar-1", battery: percent)
                let accessory = try await port.accessories().first { $0.id == collar }
                let now = Int64(sanctuary.control.now * 1000)
                let isRight =
                    accessory?.battery?.percent == percent
                    && (now - 60_000...now + 60_000).contains(accessory?.lastSeen.millisecondsSince1970 ?? 0)
                guard try handling.refuses(isRight) else { continue }
            }
        }
    }

    @Test(arguments: Handling.allCases)
    func `D13: a command is its accessory's own, and another one that is active by then does not get it`(
        _ handling: Handling
    ) async throws {
        try await opened(handling) { port, sanctuary, clock in
            try sanctuary.control.loseLink(of: "collar-1")
            let command = Task { try await port.perform(.identify, on: collar) }
            if handling == .naive { await clock.waitForSleeper(until: .seconds(1)) } else { _ = await command.result }
            try await port.activate(camera)
            clock.advance(by: .seconds(1))
            _ = await command.result
            guard try handling.refuses(sanctuary.control.commands(of: "camera-1").isEmpty) else { return }
            await expect(.conflict) { try await command.value }
            try await port.perform(.identify, on: camera)
            #expect(sanctuary.control.commands(of: "camera-1") == ["identify"])
            await expect(.conflict) { try await port.perform(.open, on: collar) }
            await expect(.notFound) { try await port.perform(.open, on: AccessoryID("none")) }
            #expect(sanctuary.control.commands(of: "collar-1") == [])
        }
    }

    @Test func `D13: a command whose answer is lost is outcomeUnknown, and is not repeated`() async throws {
        try await opened(.adapter) { port, sanctuary, _ in
            sanctuary.control.inject(.reset, on: .commandAccessory)
            await expect(.outcomeUnknown) { try await port.perform(.open, on: collar) }
            #expect(sanctuary.control.calls(of: .commandAccessory) == 1)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D11, D13: an accessory that is found again does not replace the one activated since`(
        _ handling: Handling
    ) async throws {
        try await opened(handling) { port, sanctuary, _ in
            try sanctuary.control.loseLink(of: "collar-1")
            try await port.activate(camera)
            // Refused if the search for it has ended.
            do { try sanctuary.control.restoreLink(of: "collar-1") } catch {}
            let active = try await port.accessories().filter { $0.link == .active }.map(\.id)
            guard try handling.refuses(active == [camera]) else { return }
            try await port.activate(collar)
            #expect(try await port.accessories().filter { $0.link == .active }.map(\.id) == [collar])
        }
    }

    @Test(arguments: Handling.allCases)
    func `D15: two concurrent searches both return what is there`(_ handling: Handling) async throws {
        try await opened(handling) { port, sanctuary, _ in
            sanctuary.control.inject(.hold, on: .listAccessories)
            let first = Task { try await port.scan() }
            await sanctuary.control.waitForHeld(exactly: 1)
            let second = Task { try await port.scan() }
            if let port = port as? V2Accessories {
                while port.search.waiters < 2 { await Task.yield() }
            } else {
                _ = await first.result
            }
            sanctuary.control.releaseHeld()
            let found = try await second.value
            #expect(found.count == 4)
            guard case .success(let other) = await first.result else {
                #expect(try handling.refuses(false) == false)
                return
            }
            _ = try handling.refuses(true)
            #expect(other == found)
            #expect(sanctuary.control.calls(of: .listAccessories) == 1)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D15: a caller that cancels a search keeps the link, and the search continues for the others`(
        _ handling: Handling
    )
        async throws
    {
        try await opened(handling) { port, sanctuary, _ in
            sanctuary.control.inject(.hold, on: .listAccessories)
            let search = Task { try await port.scan() }
            await sanctuary.control.waitForHeld(exactly: 1)
            search.cancel()
            guard case .failure = await search.result else { return #expect(Bool(false), "it was not cancelled") }
            if handling == .naive { await sanctuary.control.waitForCalls(of: .releaseAccessory, atLeast: 1) }
            let next = Task { try await port.scan() }
            sanctuary.control.releaseHeld()
            _ = try await next.value
            guard try handling.refuses(sanctuary.control.calls(of: .releaseAccessory) == 0) else { return }
            #expect(try await port.accessories().first { $0.id == collar }?.link == .active)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D29: nicknames are declared as unsupported, and none is accepted`(_ handling: Handling)
        async throws
    {
        try await opened(handling) { port, sanctuary, _ in
            #expect(sanctuary.services.capabilities.contains(.nicknames) == false)
            let error = await SanctuaryError.of { try await port.setNickname("Cook", of: collar) }
            guard try handling.refuses(error?.code == .unsupported) else { return }
            await expect(.unsupported) { try await port.nicknames() }
            await expect(.unsupported) { try await port.exportNicknames { _, _ in } }
        }
    }

    /// The state left by the last launch, under a new one.
    private func relaunched(
        _ handling: Handling,
        _ sanctuary: OpenedSanctuary,
        _ body: (any Accessories) async throws -> Void
    ) async throws {
        guard handling == .naive else {
            let services = try await sanctuary.openAnother(in: sanctuary.directory)
            try await body(services.accessories)
            return await services.close()
        }
        let options = MenagerieOptions(serviceURL: sanctuary.url, apiKey: "test", directory: sanctuary.directory)
        let client = MenagerieClient(options: options)
        try await client.configure()
        try await body(NaiveV2Accessories(client: client))
        await client.shutdown()
    }

    private func opened(
        _ handling: Handling,
        _ body: (any Accessories, OpenedSanctuary, TestClock) async throws -> Void
    ) async throws {
        let clock = TestClock()
        try await OpenedSanctuary.with(clock: clock) { sanctuary in
            guard handling == .naive else { return try await body(sanctuary.accessories, sanctuary, clock) }
            let options = MenagerieOptions(
                serviceURL: sanctuary.url,
                apiKey: "test",
                directory: sanctuary.directory,
                clock: clock
            )
            let client = MenagerieClient(options: options)
            try await client.configure()
            do {
                try await body(NaiveV2Accessories(client: client), sanctuary, clock)
            } catch {
                await client.shutdown()
                throw error
            }
            await client.shutdown()
        }
    }
}

/// The handling of a difference that is checked: the adapter's or the naive one.
enum Handling: CaseIterable, Sendable {
    case adapter, naive

    /// The decisive condition of a check: it holds for the adapter, but not for the naive handling.
    ///
    /// - Returns: whether there is more to check.
    func refuses(_ isKept: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws -> Bool {
        #expect(isKept == (self == .adapter), "\(self)", sourceLocation: sourceLocation)
        return isKept && self == .adapter
    }
}

extension SanctuaryDomain.AccessoryEvent {
    fileprivate var link: SanctuaryDomain.Accessory.Link? {
        if case .changed(let accessory) = self { accessory.link } else { nil }
    }
}

extension SanctuaryError {
    static func of(_ body: () async throws -> some Any) async -> SanctuaryError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SanctuaryError
        }
    }
}
#endif
