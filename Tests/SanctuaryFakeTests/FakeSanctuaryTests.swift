import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain
import SanctuaryFake
import Testing

/// Tests documented behaviour of the ports that no rule checks yet.
@Suite struct FakeSanctuaryTests {
    private let fake = FakeSanctuary()
    private var services: SanctuaryServices { fake.services }

    private func signIn(_ user: String = "amara", to services: SanctuaryServices? = nil) async throws {
        let credentials = Credentials(user: user, password: "sandbox")
        _ = try await (services ?? self.services).accounts.signIn(credentials)
    }

    private func line(_ quantity: Int, at minorUnits: Int64 = 450, _ currency: Currency = .eur) -> OrderLine {
        OrderLine(article: "meat", quantity: quantity, unitPrice: Money(minorUnits: minorUnits, currency: currency))
    }

    @Test func `the first day has the sandbox's best known animals`() async throws {
        let page = try await services.catalogue.animals(AnimalsRequest())
        let names = Set(page.items.map(\.name))
        #expect(names.isSuperset(of: ["kerberos", "hydra", "medusa", "tiger", "cat", "bird"]))
        #expect(page.next == nil)
        for animal in page.items {
            let photo = try await services.photos.photo(of: animal.id)
            #expect(photo.mediaType == "image/bmp" && photo.bytes.starts(with: [0x42, 0x4D]))
        }
    }

    @Test(arguments: [("amara", Currency.eur), ("kenji", .jpy), ("noor", .kwd)])
    func `each user signs in and has a currency`(_ user: String, _ currency: Currency) async throws {
        try await signIn(user)
        guard case .signedIn(let account) = try await services.accounts.state() else {
            Issue.record("not signed in")
            return
        }
        #expect(account.id == user && account.currency == currency)
    }

    @Test func `a refused sign in leaves the session as it was`() async throws {
        try await signIn()
        let before = try await services.accounts.state()
        await #expect(throws: SanctuaryError.self) {
            try await services.accounts.signIn(Credentials(user: "kenji", password: "wrong"))
        }
        #expect(try await services.accounts.state() == before)
    }

    @Test func `the same key is the same order, and only the same user's`() async throws {
        try await signIn()
        let draft = OrderDraft(lines: [line(2), line(1, at: -50, .jpy)], key: "once")
        let first = try await services.orders.place(draft)
        #expect(try await services.orders.place(draft) == first)
        let other = fake.openServices()
        try await signIn("kenji", to: other)
        #expect(try await other.orders.place(draft).id != first.id)
        let error = try await #require(throws: SanctuaryError.self) { try await other.orders.order(first.id) }
        #expect(error.code == .forbidden)
    }

    @Test func `an order that is wrong names the field`() async throws {
        try await signIn()
        let cases = [
            ([], "lines"), ([line(1), line(0)], "lines[1].quantity"), ([line(.max, at: .max)], "lines"),
        ]
        for (lines, field) in cases {
            let error = try await #require(throws: SanctuaryError.self) {
                try await services.orders.place(OrderDraft(lines: lines, key: "wrong"))
            }
            #expect(error.code == .invalidRequest && error.subject == field)
        }
    }

    @Test func `an empty message and an empty page are invalid requests`() async throws {
        try await signIn()
        let draft = MessageDraft(text: "", key: "empty")
        let message = try await #require(throws: SanctuaryError.self) { try await services.messages.send(draft) }
        #expect(message.code == .invalidRequest && message.subject == "text")
        for limit in [0, -1, .min] {
            let page = try await #require(throws: SanctuaryError.self) {
                try await services.catalogue.animals(AnimalsRequest(PageRequest(limit: limit)))
            }
            #expect(page.code == .invalidRequest && page.subject == "limit")
        }
    }

    @Test func `WAIT-05: only a refusal of its own text drops a kept message`() async throws {
        let subject = fake.subject
        _ = try await subject.services.accounts.signIn(subject.credentials)
        let reach = try #require(subject.reach)
        let cut = try await reach(false)
        for key in ["one", "two"] {
            await #expect(throws: SanctuaryError.self) {
                try await cut.services.messages.send(MessageDraft(text: key, key: key))
            }
        }
        let back = try await reach(true)
        // One for the kept messages, one for the message itself.
        try await fake.probe.inject(.status(400), on: .send, times: 2)
        await #expect(throws: SanctuaryError.self) {
            try await back.services.messages.send(MessageDraft(text: "three", key: "three"))
        }
        _ = try await back.services.messages.send(MessageDraft(text: "four", key: "four"))
        #expect(try await fake.probe.contentsHeld(of: .send, by: "amara").suffix(3) == ["one", "two", "four"])
    }

    @Test func `at most one accessory is active, and the one before it stays linked (D11)`() async throws {
        let port = services.accessories
        var events = port.events().makeAsyncIterator()
        let first = try await events.next(isolation: nil)
        #expect(first == .current(try await port.accessories()))
        try await port.activate(AccessoryID("scale-1"))
        try await port.activate(AccessoryID("scale-1"))
        try await port.release(AccessoryID("scale-1"))
        try await port.release(AccessoryID("scale-1"))
        try await port.activate(AccessoryID("collar-2"))
        var changes: [String] = []
        for _ in 0..<4 {
            guard case .changed(let accessory) = try await events.next(isolation: nil) else { break }
            changes.append("\(accessory.id) \(accessory.link)")
        }
        #expect(changes == ["collar-1 linked", "scale-1 active", "scale-1 available", "collar-2 active"])
        #expect(try await port.accessories().map(\.link) == [.linked, .active, .available])
    }

    @Test func `an unknown accessory is not found`() async throws {
        for call in [services.accessories.activate, services.accessories.release] {
            let error = try await #require(throws: SanctuaryError.self) { try await call(AccessoryID("unknown")) }
            #expect(error.code == .notFound)
        }
    }

    @Test func `a subscriber that is 1,025 events behind starts again with the current state`() async throws {
        var events = services.accessories.events().makeAsyncIterator()
        _ = try await events.next(isolation: nil)
        let battery = try #require(Battery(percent: 1))
        for number in 1...1025 {
            try await fake.probe.updateAccessory(AccessoryID("scale-1"), name: "scale \(number)", battery: battery)
        }
        #expect(try await events.next(isolation: nil) == .current(try await services.accessories.accessories()))
    }

    @Test func `a stream that is dropped is released`() async throws {
        try await signIn()
        do {
            var events = services.messages.events().makeAsyncIterator()
            let id = try await withThrowingTaskGroup(of: MessageID.self) { group in
                group.addTask {
                    try await fake.probe.waitForSubscribers(of: .messages, exactly: 1)
                    return try await fake.probe.postMessage(author: "noor", text: "hello").id
                }
                let event = try await events.next(isolation: nil)
                let id = try await group.next()
                if case .received(let message) = event {
                    #expect(message.id == id)
                } else {
                    Issue.record("\(event as Any)")
                }
                return id
            }
            #expect(id != nil)
        }
        try await fake.probe.waitForSubscribers(of: .messages, exactly: 0)
    }

    /// A call that the vendor holds while its user signs out, or another one signs in.
    @Test(arguments: [nil, "kenji"])
    func `a stream that is not served yet ends with its user's session`(next: String?) async throws {
        try await signIn()
        try await fake.probe.inject(.hold, on: .messageEvents, times: 1)
        var events = services.messages.events().makeAsyncIterator()
        try await fake.probe.waitForCalls(of: .messageEvents, atLeast: 1)
        if let next { try await signIn(next) } else { try await services.accounts.signOut() }
        let error = try await #require(throws: SanctuaryError.self) { try await events.next(isolation: nil) }
        #expect(error.code == .authenticationRequired)
        try await fake.probe.releaseHeld()
        try await fake.probe.waitForSubscribers(of: .messages, exactly: 0)
    }

    @Test func `closing ends calls in progress and refuses later ones, on that instance alone`() async throws {
        let other = fake.openServices()
        try await signIn()
        try await fake.probe.inject(.hold, on: .animals, times: 1)
        async let held = services.catalogue.animals(AnimalsRequest())
        try await fake.probe.waitForCalls(of: .animals, atLeast: 1)
        var events = services.accessories.events().makeAsyncIterator()
        _ = try await events.next(isolation: nil)
        await services.close()
        await services.close()
        var codes: [SanctuaryError.Code] = []
        do { _ = try await held } catch let error as SanctuaryError { codes.append(error.code) }
        do { _ = try await events.next(isolation: nil) } catch let error as SanctuaryError { codes.append(error.code) }
        do { _ = try await services.orders.orders(PageRequest()) } catch let error as SanctuaryError {
            codes.append(error.code)
        }
        do { _ = try await services.accounts.state() } catch let error as SanctuaryError { codes.append(error.code) }
        #expect(codes == [.closed, .closed, .closed, .closed])
        #expect(try await other.catalogue.animals(AnimalsRequest()).items.count == 8)
    }

    @Test func `an animal of an unknown group is reported, by a list and by itself`() async throws {
        let issues = Mutex<[String]>([])
        let fake = FakeSanctuary(
            issues: IssueSink { found, operation in
                issues.withLock { $0 += found.map { "\(operation) \($0.path): \($0.raw)" } }
            }
        )
        let animals = try await fake.services.catalogue.animals(AnimalsRequest()).items
        #expect(issues.withLock { $0 } == [])
        let last = try #require(animals.last)
        try await fake.probe.setGroup("dragon", of: last.id)
        #expect(try await fake.services.catalogue.animals(AnimalsRequest()).items.last?.group == .unknown("dragon"))
        #expect(try await fake.services.catalogue.animal(last.id).group == .unknown("dragon"))
        let path = "items[\(animals.count - 1)].group"
        #expect(issues.withLock { $0 } == ["animals \(path): dragon", "animal group: dragon"])
    }

    @Test func `an empty nickname is none`() async throws {
        let accessories = FakeSanctuary().services.accessories
        let id = AccessoryID("collar-1")
        try await accessories.setNickname("Rex", of: id)
        #expect(try await accessories.nicknames()[id] == "Rex")
        try await accessories.setNickname("", of: id)
        #expect(try await accessories.nicknames()[id] == nil)
    }
}
