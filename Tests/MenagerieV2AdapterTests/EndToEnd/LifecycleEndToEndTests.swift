#if Sandbox
import CofferdamTesting
import MenagerieService
@testable import MenagerieV2Adapter
import SanctuaryDomain
import Testing

@Suite struct LifecycleEndToEndTests {
    @Test("CANC-01: a task that is cancelled already asks the vendor nothing")
    func cancelledBefore() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await sanctuary.catalogue.animals(AnimalsRequest()) },
                { _ = try await sanctuary.services.photos.photo(of: AnimalID("1")) },
                { _ = try await sanctuary.orders.orders(PageRequest()) },
                { _ = try await sanctuary.messages.send(MessageDraft(text: "x", key: "x")) },
                { try await sanctuary.accessories.activate(AccessoryID("camera-1")) },
                { for try await _ in sanctuary.accessories.events() {} },
                { try await sanctuary.accounts.signOut() },
            ]
            for call in calls {
                let gate = Latch()
                let task = Task {
                    do { try await gate.wait() } catch {}
                    try await call()
                }
                task.cancel()
                gate.open()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            for operation in Operation.allCases where operation != .signIn {
                #expect(sanctuary.control.calls(of: operation) == 0, "\(operation)")
            }
        }
    }

    @Test("CANC-02: cancelled while waiting, the call throws CancellationError, and the vendor's work stops")
    func cancelledWhile() async throws {
        try await OpenedSanctuary.with { sanctuary in
            for _ in 0..<5 {
                sanctuary.control.inject(.hold, on: .listAnimals)
                let task = Task { try await sanctuary.catalogue.animals(AnimalsRequest()) }
                await sanctuary.control.waitForHeld(exactly: 1)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                await sanctuary.control.waitForHeld(exactly: 0)
            }
            let count = try await sanctuary.catalogue.animals(AnimalsRequest()).items.count
            #expect(count == 50)
        }
    }

    @Test("The deadline is of the whole call, on the injected clock")
    func deadline() async throws {
        let clock = GateClock()
        try await OpenedSanctuary.with(clock: clock) { sanctuary in
            sanctuary.control.inject(.hold, on: .resolveIdentifiers)
            let task = Task { try await sanctuary.catalogue.animals(AnimalsRequest()) }
            await sanctuary.control.waitForHeld(exactly: 1)
            clock.gate.open()
            await expect(.timeout) { try await task.value }
            await sanctuary.control.waitForHeld(exactly: 0)
        }
    }

    @Test("D18: an order whose deadline passes after it was sent has an unknown outcome")
    func orderDeadline() async throws {
        let clock = GateClock()
        try await OpenedSanctuary.with(signedIn: true, clock: clock) { sanctuary in
            sanctuary.control.inject(.hold, on: .placeOrder)
            let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))
            let task = Task { try await sanctuary.orders.place(OrderDraft(lines: [line], key: "k")) }
            await sanctuary.control.waitForHeld(exactly: 1)
            clock.gate.open()
            await expect(.outcomeUnknown) { try await task.value }
        }
    }

    @Test(
        "ERR-02, ERR-03, ERR-05: each fault is its error",
        arguments: [
            (.status(400), .invalidRequest), (.status(401), .authenticationRequired), (.status(403), .forbidden),
            (.status(404), .notFound), (.status(409), .conflict), (.status(412), .conflict),
            (.status(422), .invalidRequest), (.status(429), .rateLimited), (.status(500), .unavailable),
            (.status(502), .unavailable), (.status(503), .unavailable), (.status(504), .timeout),
            (.status(999), .unknown), (.html, .decoding), (.garbage, .decoding), (.truncated, .truncated),
        ] as [(Fault, SanctuaryError.Code)]
    )
    func faults(fault: Fault, expected: SanctuaryError.Code) async throws {
        try await OpenedSanctuary.with { sanctuary in
            sanctuary.control.inject(fault, on: .listAnimals)
            await expect(expected) { try await sanctuary.catalogue.animals(AnimalsRequest()) }
            sanctuary.control.clearFaults()
            let count = try await sanctuary.catalogue.animals(AnimalsRequest()).items.count
            #expect(count == 50)
        }
    }

    @Test("D20: how long to wait comes from the vendor's date")
    func retryAfter() async throws {
        try await OpenedSanctuary.with { sanctuary in
            sanctuary.control.inject(.status(429, retryAfter: .seconds(60)), on: .listAnimals)
            let error = await #expect(throws: SanctuaryError.self) {
                try await sanctuary.catalogue.animals(AnimalsRequest())
            }
            let wait = try #require(error?.retryAfter)
            #expect(wait > .seconds(30) && wait <= .seconds(61))
            #expect(error?.isRetryable == true)
        }
    }

    @Test("LIFE-03: parallel calls never cross their answers")
    func parallel() async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for id in 1...107 {
                    group.addTask { (id, try await sanctuary.catalogue.animal(AnimalID("\(id)")).id.rawValue) }
                }
                for try await (asked, answered) in group { #expect(answered == "\(asked)") }
            }
        }
    }

    @Test("LIFE-03: two instances share nothing")
    func instances() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let other = try await sanctuary.openAnother(in: sanctuary.directory + "/other")
            #expect(try await other.accounts.state() == .signedOut)
            _ = try await other.accounts.signIn(Credentials(user: "kenji", password: "sandbox"))
            #expect(try await other.orders.orders(PageRequest()).items.count == 2)
            #expect(try await sanctuary.orders.orders(PageRequest()).items.count == 3)
            await other.close()
            #expect(try await sanctuary.orders.orders(PageRequest()).items.count == 3)
        }
    }

    @Test("CANC-08: after close every call and stream is closed, and closing again is harmless")
    func closed() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.inject(.hold, on: .listAnimals)
            let waiting = Task { try await sanctuary.catalogue.animals(AnimalsRequest()) }
            await sanctuary.control.waitForHeld(exactly: 1)
            let events = Subscriber(sanctuary.accessories.events())
            _ = try await events.next()
            await sanctuary.services.close()
            await sanctuary.services.close()
            await expect(.closed) { try await waiting.value }
            await expect(.closed) { try await events.next() }
            await expect(.closed) { try await sanctuary.catalogue.animals(AnimalsRequest()) }
            await expect(.closed) { try await sanctuary.accounts.state() }
            let later = Subscriber(sanctuary.messages.events())
            await expect(.closed) { try await later.next() }
        }
    }
}
#endif
