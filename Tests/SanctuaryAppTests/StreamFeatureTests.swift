import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct AccessoriesFeatureTests {
    fileprivate func accessory(_ id: String, _ link: Accessory.Link) -> Accessory {
        Accessory(
            id: AccessoryID(id),
            name: id,
            link: link,
            battery: Battery(percent: 50),
            lastSeen: Instant(millisecondsSince1970: 0)
        )
    }

    @Test func `the chosen accessory is the active one, or none`() async throws {
        let none = [accessory("a", .linked), accessory("b", .available), accessory("c", .reconnecting)]
        let one = none + [accessory("d", .active)]
        let without = try await Ports(accessories: { none }).features().accessories.accessories()
        #expect(without.chosen == nil)
        #expect(without.all == none)
        #expect(try await Ports(accessories: { one }).features().accessories.accessories().chosen == one.last)
    }

    @Test func `events become states, and losing the chosen accessory is an event`() async throws {
        let (a, b) = (accessory("a", .active), accessory("b", .linked))
        let features = Ports(accessoryEvents: {
            [
                .success(.current([b, a])), .success(.changed(accessory("a", .reconnecting))),
                .success(.changed(accessory("b", .active))), .success(.removed(b.id)), .success(.removed(b.id)),
                .success(.current([a])), .failure(SanctuaryError(.unreachable, "lost")),
            ]
        }).features()
        var states: [AccessoriesState] = []
        let error = await #expect(throws: SanctuaryError.self) {
            for try await state in features.accessories.watch() { states.append(state) }
        }
        #expect(error?.code == .unreachable)
        #expect(
            states.map { $0.all.map(\.id.rawValue) } == [["a", "b"], ["a", "b"], ["a", "b"], ["a"], ["a"], ["a"]]
        )
        #expect(states.map { $0.chosen?.id.rawValue } == ["a", nil, "b", nil, nil, "a"])
        let active = accessory("b", .active)
        #expect(
            states.map(\.events) == [[.chosen(a)], [.lost(a)], [.chosen(active)], [.lost(active)], [], [.chosen(a)]]
        )
    }
}

extension AccessoriesFeatureTests {
    @Test func `during a watch, every screen's choice follows`() async throws {
        let (a, b) = (accessory("a", .active), accessory("b", .active))
        let features = Ports(accessoryEvents: {
            [.success(.current([a])), .success(.removed(a.id)), .success(.changed(b))]
        }).features()
        let shown = Mutex<[String?]>([])
        let screen = features.accessories.chosen.listen { selection in
            shown.withLock { $0.append(selection.chosen?.id.rawValue) }
        }
        for try await _ in features.accessories.watch() {}
        #expect(shown.withLock { $0 } == [nil, "a", nil, "b"])
        withExtendedLifetime(screen) {}
    }
}

@Suite struct AccessoryCommandTests {
    private func accessory(_ id: String, _ link: Accessory.Link) -> Accessory {
        Accessory(
            id: AccessoryID(id),
            name: id,
            link: link,
            battery: nil,
            lastSeen: Instant(millisecondsSince1970: 0)
        )
    }

    @Test func `a command goes to the one in use, as it is now`() async throws {
        let calls = Mutex<[String]>([])
        let inUse = Mutex("a")
        let features = Ports(
            accessories: {
                let active = inUse.withLock { $0 }
                return ["a", "b"].map { accessory($0, $0 == active ? .active : .linked) }
            },
            perform: { command, id in calls.withLock { $0.append("\(command) \(id)") } }
        ).features()
        #expect(try await features.accessories.perform(.open).id == AccessoryID("a"))
        inUse.withLock { $0 = "b" }
        try await features.accessories.perform(.identify)
        #expect(calls.withLock { $0 } == ["open a", "identify b"])
        #expect(features.accessories.chosen.current.chosen?.id == AccessoryID("b"))
    }

    @Test func `without an accessory in use nothing is sent`() async {
        let features = Ports(accessories: { [accessory("a", .linked)] }).features()
        let error = await #expect(throws: FeatureError.self) { try await features.accessories.perform(.open) }
        #expect(error?.code == .noAccessory)
        #expect(error?.subject == "open")
    }

    @Test func `an accessory lost during a command has an unknown outcome, and no other gets the command`() async {
        let calls = Mutex<[AccessoryID]>([])
        let isLost = Mutex(false)
        let features = Ports(
            accessories: {
                [accessory("a", isLost.withLock { $0 } ? .reconnecting : .active), accessory("b", .linked)]
            },
            perform: { _, id in
                calls.withLock { $0.append(id) }
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        ).features()
        let command = Task { try await features.accessories.perform(.open) }
        while calls.withLock({ $0.isEmpty }) { await Task.yield() }
        isLost.withLock { $0 = true }
        let state = try? await features.accessories.accessories()
        #expect(state?.events == [.lost(accessory("a", .active))])
        let error = await #expect(throws: SanctuaryError.self) { try await command.value }
        #expect(error?.code == .outcomeUnknown)
        #expect(calls.withLock { $0 } == [AccessoryID("a")])
    }
}

@Suite struct ConversationFeatureTests {
    private func message(_ id: String) -> Message {
        Message(id: MessageID(id), author: "amara", text: "text \(id)", sentAt: Instant(millisecondsSince1970: 0))
    }

    @Test func `following begins with the history and does not repeat it`() async throws {
        let features = Ports(
            messages: pages([message("1"), message("2"), message("3")]),
            messageEvents: {
                [
                    .success(.received(message("3"))), .success(.received(message("4"))),
                    .success(.deleted(MessageID("2"))), .failure(SanctuaryError(.unreachable, "lost")),
                ]
            }
        ).features()
        var updates: [ConversationUpdate] = []
        await #expect(throws: SanctuaryError.self) {
            for try await update in features.conversation.follow() { updates.append(update) }
        }
        #expect(
            updates == [
                .history([message("1"), message("2"), message("3")]), .received(message("4")), .deleted(MessageID("2")),
            ]
        )
    }

    @Test(arguments: ["", " ", "\n\t"])
    func `a message of nothing is refused before it is sent`(text: String) async {
        let error = await #expect(throws: FeatureError.self) { try await Ports().features().conversation.send(text) }
        #expect(error?.subject == "text")
    }

    @Test func `a message is sent as it was written, under its own key`() async throws {
        let features = Ports(send: { draft in
            Message(
                id: MessageID(draft.key),
                author: "amara",
                text: draft.text,
                sentAt: Instant(millisecondsSince1970: 0)
            )
        }).features(makeKey: { "k1" })
        let sent = try await features.conversation.send(" hello\n")
        #expect(sent.text == " hello\n")
        #expect(sent.id == MessageID("k1"))
    }
}

@Suite struct AccountFeatureTests {
    @Test(arguments: [("", "secret", "user"), ("amara", "", "password")])
    func `a name and a password are needed before anybody is asked`(
        user: String,
        password: String,
        field: String
    ) async {
        let error = await #expect(throws: FeatureError.self) {
            try await Ports().features().account.signIn(user: user, password: password)
        }
        #expect(error?.subject == field)
    }

    @Test func `the vendor's refusal is the answer, and holds no password (ERR-06)`() async {
        let features = Ports(signIn: { _ in throw SanctuaryError(.authenticationRequired, "refused") }).features()
        let error = await #expect(throws: SanctuaryError.self) {
            try await features.account.signIn(user: "amara", password: "s3cret")
        }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test func `a picture comes byte by byte, empty ones too (BIN-01)`() async throws {
        for bytes in [[], Array(UInt8.min...UInt8.max)] as [[UInt8]] {
            let features = Ports(photo: { _ in Photo(bytes: bytes, mediaType: "image/bmp") }).features()
            #expect(try await features.photos.photo(of: AnimalID("a")).bytes == bytes)
        }
    }

    @Test func `a picture's screen gets its progress (BIN-05)`() async throws {
        let progress = [(2, nil), (3, 8), (8, 8)].map { PhotoProgress(completed: $0, total: $1) }
        var ports = Ports(photo: { _ in Photo(bytes: [1], mediaType: "image/bmp") })
        ports.photoProgress = progress
        let picture = ports.features().photos.picture(of: AnimalID("a"))
        let shown = Mutex<[TransferProgress]>([])
        let listening = picture.state.listen { state in
            if let progress = state.progress { shown.withLock { $0.append(progress) } }
        }
        _ = try await picture.value()
        listening.cancel()
        let expected = [(0, nil), (2, nil), (3, 8), (8, 8)].map { TransferProgress(completed: $0, total: $1) }
        #expect(shown.withLock { $0 } == expected)
    }

    @Test func `a picture is fetched when it is started, and its error is a state`() async throws {
        let calls = Counter()
        let features = Ports(photo: { id in
            calls.add()
            guard calls.count > 1 else { throw SanctuaryError(.unreachable, "lost", subject: id.rawValue) }
            return Photo(bytes: [1, 2], mediaType: "image/bmp")
        }).features()
        let picture = features.photos.picture(of: AnimalID("a"))
        #expect(calls.count == 0)
        picture.start()
        for await state in picture.state.states where state.progress == nil {
            #expect((state.error as? SanctuaryError)?.code == .unreachable)
            break
        }
        #expect(try await picture.value().bytes == [1, 2])
        #expect(picture.state.current.value?.mediaType == "image/bmp")
    }
}
